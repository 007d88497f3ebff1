//! The engines: they move bytes and know nothing of terminals or output formats.
