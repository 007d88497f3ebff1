//! Which host and path a bucket has: AWS regions, custom endpoints, path style and virtual-hosted style.
/// How the bucket is written into the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addressing { /// path style for custom endpoints, IP hosts and names that are not DNS labels; else virtual-hosted
    #[default] Auto, Path, Virtual }
/// A store's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint { /// `None` is AWS in the config's region; `Some` is `scheme://host[:port][/base]`
    pub url: Option<String>, pub addressing: Addressing }
