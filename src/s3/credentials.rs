//! Who signs: anonymous, static, environment or profile credentials. Reading the shared config files is left to [`files`].

mod files;

use super::endpoint::Addressing;
use std::sync::Arc;

/// Credentials, or the decision to sign nothing. `Debug` redacts.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// No auth headers at all.
    Anonymous,
    /// Fixed keys.
    Static(Arc<Keys>),
}

/// An access key. `Debug` shows the access key id's last four characters only.
pub struct Keys {
    /// Public half.
    pub access_key_id: String,
    /// Secret half.
    pub secret_access_key: String,
    /// For temporary keys.
    pub session_token: Option<String>,
    /// Where they came from, for messages: `environment`, `profile 'x'`.
    pub origin: String,
}

/// What the environment's keys and the shared config files say.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Keys of the environment or the profile; `None` if neither has any. An explicit profile wins over the environment's keys.
    pub credentials: Option<Credentials>,
    /// Why the profile's keys cannot be used (it needs a role, SSO or a process); matters only if credentials are needed.
    pub unusable: Option<CredentialsError>,
    /// Name of the profile that was read (also when it does not exist, for the default one).
    pub profile: String,
    /// The profile's `region`.
    pub region: Option<String>,
    /// The profile's endpoint for S3 (`services` section or `endpoint_url`), unless configured endpoints are to be ignored.
    pub endpoint_url: Option<String>,
    /// The profile's `s3.addressing_style`.
    pub addressing: Option<Addressing>,
    /// The profile's `ca_bundle`, a path.
    pub ca_bundle: Option<String>,
    /// The profile's `max_attempts`, as written.
    pub max_attempts: Option<String>,
}

/// Why no credentials can be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsError {
    /// A profile the user named does not exist.
    #[error("no profile '{0}' in the AWS config or credentials file")]
    NoSuchProfile(String),
    /// A config file cannot be parsed; the text names the file and line.
    #[error("{0}")]
    Config(String),
    /// The profile names a way to get keys that s3kit does not know yet.
    #[error(
        "profile '{profile}' uses {method}, which is not supported yet; run: eval \"$(aws configure export-credentials --profile {profile} --format env)\""
    )]
    Unsupported {
        /// The profile.
        profile: String,
        /// Its setting: `role_arn`, `sso_session` …
        method: &'static str,
    },
    /// Half a key.
    #[error("{origin} has {has} but no {lacks}")]
    Incomplete {
        /// `environment`, `profile 'x'`.
        origin: String,
        /// What is there.
        has: &'static str,
        /// What is not.
        lacks: &'static str,
    },
}

impl Credentials {
    /// Fixed keys.
    pub fn fixed(access_key_id: &str, secret_access_key: &str, session_token: Option<&str>, origin: &str) -> Self {
        Self::Static(Arc::new(Keys {
            access_key_id: access_key_id.into(),
            secret_access_key: secret_access_key.into(),
            session_token: session_token.map(Into::into),
            origin: origin.into(),
        }))
    }

    /// Reads the environment (through `env`) and the shared config files. `profile` is an explicit choice: it beats the environment's
    /// keys and must exist. Without it `AWS_PROFILE`, then `AWS_DEFAULT_PROFILE`, then `default` is read. Blocking file reads, no network.
    pub fn load(env: &dyn Fn(&str) -> Option<String>, profile: Option<&str>) -> Result<Loaded, CredentialsError> {
        let files = files::Files::read(env, profile)?;
        let mut loaded = files.facts(env);
        if profile.is_none()
            && let Some(keys) = from_environment(env)?
        {
            loaded.credentials = Some(keys);
            return Ok(loaded);
        }
        match files.credentials() {
            Ok(credentials) => loaded.credentials = credentials,
            Err(error) => loaded.unusable = Some(error),
        }
        Ok(loaded)
    }
}

/// The keys in the environment; half a pair is an error, for the other half would silently come from elsewhere.
fn from_environment(env: &dyn Fn(&str) -> Option<String>) -> Result<Option<Credentials>, CredentialsError> {
    let get = |name| env(name).filter(|value| !value.is_empty());
    let lacks = |has, lacks| CredentialsError::Incomplete { origin: "environment".into(), has, lacks };
    match (get("AWS_ACCESS_KEY_ID"), get("AWS_SECRET_ACCESS_KEY")) {
        (Some(id), Some(secret)) => {
            Ok(Some(Credentials::fixed(&id, &secret, get("AWS_SESSION_TOKEN").as_deref(), "environment")))
        }
        (None, None) => Ok(None),
        (Some(_), None) => Err(lacks("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")),
        (None, Some(_)) => Err(lacks("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID")),
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id: Vec<char> = self.access_key_id.chars().collect();
        let tail: String = id[id.len().saturating_sub(4)..].iter().collect();
        write!(f, "Keys(…{tail} from {})", self.origin)
    }
}
