//! Exit statuses: the one table every man page quotes.

/// How a command ended, as the shell sees it. Ordered by gravity: of two, the greater one is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Exit {
    /// 0: all that was asked for was done.
    #[default]
    Success,
    /// 1: finished, but some object failed or a named operand matched nothing.
    Failed,
    /// 2: usage or configuration is wrong; nothing was sent that changes anything.
    Usage,
    /// 3: could not start or had to stop: credentials, endpoint, no such bucket, disk full, a limit.
    Stopped,
    /// 128 + n: ended by signal n, which is raised again so that the shell sees it.
    Signal(i32),
}

impl Exit {
    /// The number the shell gets; for a signal the one shells make of it.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Stopped => 3,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }

    /// The graver of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// Ends the process: raises a signal again with its default action, so that a shell sees a real death by signal.
    #[must_use]
    pub fn finish(self) -> std::process::ExitCode {
        if let Self::Signal(signal) = self {
            // Only fails for signals that cannot be raised; the code below then says the same.
            drop(signal_hook::low_level::emulate_default_handler(signal));
        }
        std::process::ExitCode::from(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graver_status_wins() {
        assert_eq!(Exit::Failed.and(Exit::Success), Exit::Failed);
        assert_eq!(Exit::Failed.and(Exit::Stopped), Exit::Stopped);
        assert_eq!(Exit::Stopped.and(Exit::Signal(2)).code(), 130);
    }
}
