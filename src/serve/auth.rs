//! The protocol layer: signatures, payload hashes and aws-chunked bodies are the `s3s` crate's; every request that passes is handed to the
//! operations whole, so that answers and errors are ours to the byte.

use std::sync::Arc;

use http::{Extensions, HeaderMap, Method, Uri};
use s3s::auth::{S3Auth, SecretKey};
use s3s::host::{S3Host, VirtualHost};
use s3s::route::S3Route;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, S3, S3Request, S3Response, S3Result, s3_error};

use super::operation::Operation;
use super::ops::{Api, Call, Reply};
use super::options::Options;
use super::target::{Query, Target};

/// What is known of a request before it is checked; travels with it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) operation: Operation,
    pub(super) target: Target,
    pub(super) query: Query,
    /// The path, for error documents.
    pub(super) resource: String,
    pub(super) request_id: String,
    pub(super) host_id: String,
}

/// Marks an answer of ours, with what its latency is counted by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ours {
    pub(super) units: f64,
}

/// The service that checks requests and runs operations.
pub(super) fn service(options: &Options, api: Arc<Api>) -> S3Service {
    let mut builder = S3ServiceBuilder::new(Nothing);
    builder.set_auth(OneKey { access: options.access_key.clone(), secret: options.secret_key.as_str().into() });
    builder.set_host(Localhost);
    builder.set_route(Route { api, anonymous: options.anonymous });
    builder.build()
}

/// The one access key there is. The crate's own such type calls a stranger `NotSignedUp`; S3 says `InvalidAccessKeyId`.
struct OneKey {
    access: String,
    secret: SecretKey,
}

#[async_trait::async_trait]
impl S3Auth for OneKey {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        if access_key == self.access {
            return Ok(self.secret.clone());
        }
        Err(s3_error!(InvalidAccessKeyId, "the access key is not known here"))
    }
}

/// Every request is routed past the crate's own operations.
struct Nothing;

impl S3 for Nothing {}

/// Virtual-hosted buckets: `bucket.localhost`.
struct Localhost;

impl S3Host for Localhost {
    fn parse_host_header<'a>(&'a self, host: &'a str) -> S3Result<VirtualHost<'a>> {
        Ok(match bucket_of(host) {
            Some(bucket) => VirtualHost::new("localhost").with_bucket(bucket),
            None => VirtualHost::new(host),
        })
    }
}

/// The bucket a host name holds, as `b` in `b.localhost:9000` or `b.s3.localhost`.
pub(super) fn bucket_of(host: &str) -> Option<&str> {
    let name = host.split(':').next()?;
    let below = name.strip_suffix(".localhost")?;
    Some(below.strip_suffix(".s3").unwrap_or(below)).filter(|bucket| *bucket != "s3")
}

struct Route {
    api: Arc<Api>,
    anonymous: bool,
}

#[async_trait::async_trait]
impl S3Route for Route {
    fn is_match(&self, _: &Method, _: &Uri, _: &HeaderMap, _: &mut Extensions) -> bool {
        true
    }

    async fn check_access(&self, request: &mut S3Request<Body>) -> S3Result<()> {
        if request.credentials.is_some() || self.anonymous {
            Ok(())
        } else {
            Err(s3_error!(AccessDenied, "Access Denied"))
        }
    }

    async fn call(&self, mut request: S3Request<Body>) -> S3Result<S3Response<Body>> {
        let asked: Asked =
            request.extensions.remove().ok_or_else(|| s3_error!(InternalError, "the request was not prepared"))?;
        let ids = (asked.resource, asked.request_id, asked.host_id);
        let call = Call {
            operation: asked.operation,
            target: asked.target,
            query: asked.query,
            headers: request.headers,
            body: request.input,
            trailers: request.trailing_headers,
            signed_region: request.region.map(|region| region.as_str().to_owned()),
        };
        let reply = self.api.run(call).await.unwrap_or_else(|error| Reply::error(&error, &ids.0, &ids.1, &ids.2));
        let mut response = S3Response::with_headers(reply.body, reply.headers);
        response.status = Some(reply.status);
        response.extensions.insert(Ours { units: reply.units });
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_may_stand_before_localhost() {
        assert_eq!(bucket_of("b.localhost:9000"), Some("b"));
        assert_eq!(bucket_of("b.c.s3.localhost"), Some("b.c"));
        assert_eq!(bucket_of("localhost:9000"), None);
        assert_eq!(bucket_of("s3.localhost"), None);
        assert_eq!(bucket_of("127.0.0.1:9000"), None);
    }
}
