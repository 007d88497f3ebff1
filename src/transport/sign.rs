//! SigV4 by aws-sigv4; time is an argument.
