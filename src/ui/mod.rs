//! What a person reads; the only writer of stdout and stderr.
//!
//! [`Printer`] owns both streams. [`diagnostic`] turns failures into lines and exit statuses, [`progress`] draws the counters, [`ledger`]
//! sums them up, [`output`] gives records their forms.

mod closed;
pub mod diagnostic;
pub mod exit;
pub mod facts;
pub mod hint;
pub mod ledger;
pub mod output;
pub mod printer;
pub mod progress;
pub mod stdout;

pub use exit::Exit;
pub use printer::Printer;
pub use progress::Progress;
pub use stdout::Stdout;
