//! Which host and path a bucket has: AWS regions, custom endpoints, path style and virtual-hosted style.
//!
//! Everything that becomes part of a host is checked here, so that no bucket or region name can send a request (and its signature) to
//! a host of its own choosing.

use super::encode;

/// How the bucket is written into the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addressing {
    /// Path style for custom endpoints, IP hosts and names that are not DNS labels; else virtual-hosted.
    #[default]
    Auto,
    /// `https://host/bucket/key`.
    Path,
    /// `https://bucket.host/key`.
    Virtual,
}

/// A store's address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// `None` is AWS in the config's region; `Some` is `scheme://host[:port][/base]`.
    pub url: Option<String>,
    /// Path or virtual-hosted style.
    pub addressing: Addressing,
}

/// Why an endpoint, region or bucket name cannot be used; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EndpointError(pub String);

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// `scheme://host[:port]`.
    pub origin: String,
    /// Encoded path, starting with `/`.
    pub path: String,
}

impl Endpoint {
    /// A custom endpoint. `host:port` without a scheme is refused, as are a query, a fragment and user information.
    pub fn custom(url: &str, addressing: Addressing) -> Result<Self, EndpointError> {
        let url = url.trim_end_matches('/');
        split(url)?;
        Ok(Self { url: Some(url.to_owned()), addressing })
    }

    /// AWS itself.
    pub fn aws(addressing: Addressing) -> Self {
        Self { url: None, addressing }
    }

    /// Whether this is an AWS host (also one given by URL).
    pub fn is_aws(&self) -> bool {
        let Some(url) = &self.url else { return true };
        let Ok((_, authority, _)) = split(url) else { return false };
        let host = host_of(authority).to_ascii_lowercase();
        AWS_SUFFIXES.iter().any(|(_, suffix)| host.strip_suffix(suffix).is_some_and(|rest| rest.ends_with('.')))
    }

    /// Whether requests travel under TLS.
    pub fn is_https(&self) -> bool {
        self.url.as_deref().is_none_or(|url| url.starts_with("https://"))
    }

    /// Refuses regions that are not `[A-Za-z0-9-]{1,63}`.
    pub fn check_region(region: &str) -> Result<(), EndpointError> {
        let plain = region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if plain && (1..=63).contains(&region.len()) {
            return Ok(());
        }
        Err(EndpointError(format!("'{}' is not a region name", region.escape_default())))
    }

    /// Where a key of a bucket is, a bucket (empty key), or the service itself (both empty).
    pub fn locate(&self, region: &str, bucket: &str, key: &str) -> Result<Location, EndpointError> {
        Self::check_region(region)?;
        if !bucket.is_empty() {
            check_bucket(bucket)?;
        }
        let aws;
        let (scheme, authority, base) = match &self.url {
            Some(url) => split(url)?,
            None => {
                aws = format!("s3.{region}.{}", aws_suffix(region));
                ("https", aws.as_str(), "")
            }
        };
        let hosted = !bucket.is_empty() && self.is_virtual(bucket, authority)?;
        let mut path = String::with_capacity(base.len() + bucket.len() + key.len() + key.len() / 4 + 2);
        path.push_str(base);
        if !hosted && !bucket.is_empty() {
            path.push('/');
            encode::push_path(&mut path, bucket);
        }
        if hosted || bucket.is_empty() || !key.is_empty() {
            path.push('/');
        }
        encode::push_path(&mut path, key);
        let origin =
            if hosted { format!("{scheme}://{bucket}.{authority}") } else { format!("{scheme}://{authority}") };
        Ok(Location { origin, path })
    }

    fn is_virtual(&self, bucket: &str, authority: &str) -> Result<bool, EndpointError> {
        match self.addressing {
            Addressing::Path => Ok(false),
            Addressing::Auto => Ok(self.url.is_none() && is_label(bucket)),
            Addressing::Virtual if is_ip(host_of(authority)) => {
                Err(EndpointError(format!("an address ({authority}) cannot be used with virtual-hosted buckets")))
            }
            Addressing::Virtual if bucket.split('.').all(is_dns_part) && bucket.len() <= 63 => Ok(true),
            Addressing::Virtual => Err(EndpointError(format!("bucket name '{bucket}' cannot be part of a host name"))),
        }
    }
}

/// Region prefixes of the AWS partitions and their domains; the last is every other region's.
const AWS_SUFFIXES: [(&str, &str); 6] = [
    ("cn-", "amazonaws.com.cn"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("eusc-", "amazonaws.eu"),
    ("us-gov-", "amazonaws.com"),
    ("", "amazonaws.com"),
];

fn aws_suffix(region: &str) -> &'static str {
    AWS_SUFFIXES.iter().find(|(prefix, _)| region.starts_with(prefix)).map_or("amazonaws.com", |(_, suffix)| suffix)
}

/// Scheme, authority and base path (empty, or starting with `/`) of an endpoint URL.
fn split(url: &str) -> Result<(&str, &str, &str), EndpointError> {
    let refused = |why: &str| EndpointError(format!("endpoint '{}' {why}", url.escape_default()));
    let (scheme, rest) = url.split_once("://").ok_or_else(|| refused("lacks http:// or https://"))?;
    if scheme != "http" && scheme != "https" {
        return Err(refused("is neither http:// nor https://"));
    }
    let (authority, base) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(refused("must not hold a user name or password"));
    }
    if rest.contains(['?', '#']) {
        return Err(refused("must not hold a query or a fragment"));
    }
    let parsed: http::uri::Authority = authority.parse().map_err(|_| refused("has no valid host"))?;
    let port = &authority[host_of(authority).len()..];
    if parsed.host().is_empty() || (!port.is_empty() && port[1..].parse::<u16>().is_err()) {
        return Err(refused("has no valid host or port"));
    }
    if base.bytes().any(|byte| byte <= b' ' || byte >= 0x7f) {
        return Err(refused("has a path that is not plain ASCII"));
    }
    Ok((scheme, authority, base))
}

fn host_of(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => &authority[..colon],
        _ => authority,
    }
}

fn is_ip(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok()
}

/// What any store allows in a bucket's name, old ones (capitals, underscores) and tenants (`:`) included.
fn check_bucket(bucket: &str) -> Result<(), EndpointError> {
    if bucket.starts_with("arn:") {
        return Err(EndpointError(format!("'{bucket}': ARNs are not supported yet; use the access point's alias")));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if bucket.len() > 255 || bucket == "." || bucket == ".." || !bucket.bytes().all(plain) {
        return Err(EndpointError(format!("'{}' is not a bucket name", bucket.escape_default())));
    }
    Ok(())
}

/// Whether a bucket's name is a single DNS label, which the stores' wildcard certificates cover.
fn is_label(bucket: &str) -> bool {
    (3..=63).contains(&bucket.len()) && is_dns_part(bucket)
}

fn is_dns_part(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !part.is_empty() && part.bytes().all(plain) && !part.starts_with('-') && !part.ends_with('-')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(endpoint: &Endpoint, region: &str, bucket: &str, key: &str) -> String {
        let location = endpoint.locate(region, bucket, key).unwrap();
        format!("{} {}", location.origin, location.path)
    }

    #[test]
    fn aws_buckets_are_hosts_where_their_name_is_a_label() {
        let aws = Endpoint::aws(Addressing::Auto);
        let table = [
            ("us-east-1", "my-bucket", "k", "https://my-bucket.s3.us-east-1.amazonaws.com /k"),
            ("us-east-1", "my-bucket", "", "https://my-bucket.s3.us-east-1.amazonaws.com /"),
            ("us-east-1", "my.bucket", "k", "https://s3.us-east-1.amazonaws.com /my.bucket/k"),
            ("us-east-1", "my.bucket", "", "https://s3.us-east-1.amazonaws.com /my.bucket"),
            ("us-east-1", "Old_Name", "k", "https://s3.us-east-1.amazonaws.com /Old_Name/k"),
            ("us-east-1", "ab", "k", "https://s3.us-east-1.amazonaws.com /ab/k"),
            ("cn-north-1", "bucket", "k", "https://bucket.s3.cn-north-1.amazonaws.com.cn /k"),
            ("us-gov-west-1", "bucket", "k", "https://bucket.s3.us-gov-west-1.amazonaws.com /k"),
            ("eu-west-1", "", "", "https://s3.eu-west-1.amazonaws.com /"),
        ];
        for (region, bucket, key, expected) in table {
            assert_eq!(at(&aws, region, bucket, key), expected);
        }
    }

    #[test]
    fn custom_endpoints_use_paths_and_keep_their_base() {
        let custom = |url: &str| Endpoint::custom(url, Addressing::Auto).unwrap();
        assert_eq!(at(&custom("http://[::1]:9000/"), "r", "bucket", "k"), "http://[::1]:9000 /bucket/k");
        assert_eq!(at(&custom("https://host/base/s3/"), "r", "bucket", "a b"), "https://host /base/s3/bucket/a%20b");
        assert_eq!(at(&custom("https://host/base"), "r", "", ""), "https://host /base/");
        assert_eq!(at(&custom("http://h"), "r", "tenant:bucket", "k"), "http://h /tenant%3Abucket/k");
        let hosted = Endpoint::custom("http://host:9000", Addressing::Virtual).unwrap();
        assert_eq!(at(&hosted, "r", "b.c", "k"), "http://b.c.host:9000 /k");
    }

    #[test]
    fn odd_keys_are_neither_normalised_nor_encoded_twice() {
        let path = |key| Endpoint::aws(Addressing::Path).locate("r", "bkt", key).unwrap().path;
        assert_eq!(path("../other/x"), "/bkt/../other/x");
        assert_eq!(path("/lead"), "/bkt//lead");
        assert_eq!(path("%2e%2e"), "/bkt/%252e%252e");
    }

    #[test]
    fn no_name_can_choose_another_host() {
        let aws = Endpoint::aws(Addressing::Auto);
        for region in ["", "evil.com/", "a.b", "x@y", "a\nb", "x#"] {
            assert!(aws.locate(region, "bucket", "k").is_err(), "{region:?}");
        }
        for bucket in ["..", ".", "a/b", "a@b", "a#b", "a?b", "a b", "a\nb", "é", "arn:aws:s3:::b"] {
            assert!(aws.locate("us-east-1", bucket, "k").is_err(), "{bucket:?}");
        }
        let hosted = Endpoint::aws(Addressing::Virtual);
        for bucket in ["Big", "a..b", "a_b", "-a", "a:80"] {
            assert!(hosted.locate("us-east-1", bucket, "k").is_err(), "{bucket:?}");
        }
    }

    #[test]
    fn broken_endpoints_are_refused_with_a_reason() {
        for url in [
            "localhost:9000",
            "ftp://h",
            "http://",
            "http://u:p@h",
            "http://h?x",
            "http://h/#x",
            "http://h:x",
            "http://h:",
        ] {
            assert!(Endpoint::custom(url, Addressing::Auto).is_err(), "{url}");
        }
        let ip = Endpoint::custom("http://127.0.0.1:1", Addressing::Virtual).unwrap();
        assert!(ip.locate("r", "bucket", "k").is_err());
    }

    #[test]
    fn aws_is_recognised_by_its_host_alone() {
        let is_aws = |url: &str| Endpoint::custom(url, Addressing::Auto).unwrap().is_aws();
        assert!(Endpoint::aws(Addressing::Auto).is_aws());
        assert!(is_aws("https://s3.eu-west-1.amazonaws.com"));
        assert!(is_aws("https://bucket.vpce-1.s3.us-east-1.vpce.amazonaws.com:443"));
        assert!(!is_aws("https://amazonaws.com.evil.org"));
        assert!(!is_aws("https://notamazonaws.com"));
        assert!(!is_aws("http://127.0.0.1:9000"));
    }
}
