//! Who signs: anonymous, static, environment or profile credentials.
/// Credentials, or the decision to sign nothing. `Debug` redacts.
#[derive(Clone)]
pub enum Credentials { /// no auth headers at all
    Anonymous, /// fixed keys
    Static(std::sync::Arc<Keys>) }
/// An access key. `Debug` shows the access key id's last four characters only.
pub struct Keys { pub access_key_id: String, pub secret_access_key: String, pub session_token: Option<String>, /// where they came from, for messages: `environment`, `profile 'x'`
    pub origin: String }
impl std::fmt::Debug for Credentials { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("Credentials") } }
