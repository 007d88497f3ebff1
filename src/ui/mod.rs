//! What a person reads; the only writer of stdout and stderr.
