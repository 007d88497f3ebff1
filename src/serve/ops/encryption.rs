//! Server-side encryption, as far as a client can see it: headers are checked and echoed, and a customer's key must come again on reads.
//! Nothing is encrypted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;

use super::Reply;
use crate::model::checksum::{Algorithm, Checksum};
use crate::serve::error::ApiError;
use crate::serve::store::Pairs;

const ALGORITHM: &str = "x-amz-server-side-encryption";
const KMS_KEY: &str = "x-amz-server-side-encryption-aws-kms-key-id";
const BUCKET_KEY: &str = "x-amz-server-side-encryption-bucket-key-enabled";
const CUSTOMER: &str = "x-amz-server-side-encryption-customer-algorithm";
const CUSTOMER_KEY: &str = "x-amz-server-side-encryption-customer-key";
const CUSTOMER_MD5: &str = "x-amz-server-side-encryption-customer-key-md5";

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a request asks for, as it will be echoed.
pub(super) fn of(headers: &HeaderMap) -> Result<Pairs, ApiError> {
    let mut pairs = customer(headers, "")?;
    match text(headers, ALGORITHM) {
        None if headers.contains_key(KMS_KEY) => {
            let message = "Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms";
            return Err(ApiError::argument(ALGORITHM, "", message));
        }
        None => {}
        Some("AES256") if headers.contains_key(KMS_KEY) => {
            let message = "Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms";
            return Err(ApiError::argument(ALGORITHM, "AES256", message));
        }
        Some("AES256" | "aws:kms" | "aws:kms:dsse") if pairs.is_empty() => {
            let given =
                [ALGORITHM, KMS_KEY, BUCKET_KEY].into_iter().filter_map(|name| Some((name, text(headers, name)?)));
            pairs.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        Some(value) => {
            return Err(ApiError::argument(ALGORITHM, value, "The encryption method specified is not supported"));
        }
    }
    Ok(pairs)
}

/// The customer's key a request brings: its algorithm and MD5, checked against the key. `prefix` is that of the copy source's headers.
fn customer(headers: &HeaderMap, prefix: &str) -> Result<Pairs, ApiError> {
    let header = |name: &str| {
        if prefix.is_empty() { text(headers, name) } else { text(headers, &name.replacen("x-amz-", prefix, 1)) }
    };
    let (algorithm, key, md5) = (header(CUSTOMER), header(CUSTOMER_KEY), header(CUSTOMER_MD5));
    let (Some(algorithm), Some(key), Some(md5)) = (algorithm, key, md5) else {
        if algorithm.is_none() && key.is_none() && md5.is_none() {
            return Ok(Vec::new());
        }
        return Err(ApiError::argument(
            CUSTOMER,
            algorithm.unwrap_or_default(),
            "Requests specifying Server Side Encryption with Customer provided keys must provide an appropriate secret key.",
        ));
    };
    if algorithm != "AES256" {
        return Err(ApiError::argument(
            CUSTOMER,
            algorithm,
            "The requested encryption algorithm is not valid, must be AES256.",
        ));
    }
    let key = STANDARD.decode(key).unwrap_or_default();
    if key.len() != 32 {
        return Err(ApiError::argument(CUSTOMER_KEY, "", "The secret key was invalid for the specified algorithm."));
    }
    if Checksum::of(Algorithm::Md5, &key).base64() != md5 {
        let message = "The calculated MD5 hash of the key did not match the hash that was provided.";
        return Err(ApiError::argument(CUSTOMER_MD5, md5, message));
    }
    Ok(vec![(CUSTOMER.to_owned(), algorithm.to_owned()), (CUSTOMER_MD5.to_owned(), md5.to_owned())])
}

/// Whether a part comes with the key its upload was created with.
pub(super) fn check_part(headers: &HeaderMap, kept: &Pairs) -> Result<(), ApiError> {
    check(headers, "", kept).map_err(|error| {
        if error.code() == "AccessDenied" {
            ApiError::request("The provided encryption parameters did not match the ones used originally.")
        } else {
            error
        }
    })
}

/// Whether a request may read bytes that are kept under `kept`.
pub(super) fn check_read(headers: &HeaderMap, kept: &Pairs) -> Result<(), ApiError> {
    if let Some(value) = text(headers, ALGORITHM) {
        let message = "x-amz-server-side-encryption header is not supported for this operation.";
        return Err(ApiError::argument(ALGORITHM, value, message));
    }
    check(headers, "", kept)
}

/// The same for the source of a copy.
pub(super) fn check_copy(headers: &HeaderMap, kept: &Pairs) -> Result<(), ApiError> {
    check(headers, "x-amz-copy-source-", kept)
}

fn check(headers: &HeaderMap, prefix: &str, kept: &Pairs) -> Result<(), ApiError> {
    let brought = customer(headers, prefix)?;
    let md5 = |pairs: &Pairs| pairs.iter().find(|(name, _)| name == CUSTOMER_MD5).map(|(_, value)| value.clone());
    match (md5(kept), md5(&brought)) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(ApiError::request("The encryption parameters are not applicable to this object.")),
        (Some(_), None) => Err(ApiError::request(
            "The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.",
        )),
        (Some(kept), Some(brought)) if kept == brought => Ok(()),
        _ => Err(ApiError::of("AccessDenied")),
    }
}

/// Echoes what an object is kept under.
pub(super) fn show(reply: &mut Reply, kept: &Pairs) {
    for (name, value) in kept {
        reply.set(name, value);
    }
}
