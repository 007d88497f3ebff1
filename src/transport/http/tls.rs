//! TLS: rustls on ring, trusting what the system trusts or exactly the roots of a bundle.

use hyper_rustls::ConfigBuilderExt;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use std::sync::Arc;

/// Reads the roots of a PEM bundle; an empty or broken one is an error.
pub(super) fn roots(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("CA bundle: {error}"))?;
        roots.add(certificate).map_err(|error| format!("CA bundle: {error}"))?;
    }
    if roots.is_empty() {
        return Err("CA bundle: holds no certificate".into());
    }
    Ok(roots)
}

/// A configuration that trusts `roots`, or what the system trusts. The latter reads the system's store: milliseconds.
pub(super) fn config(roots: Option<&RootCertStore>) -> Result<ClientConfig, String> {
    let builder = builder()?;
    let builder = match roots {
        Some(roots) => builder.with_root_certificates(roots.clone()),
        None => builder.try_with_platform_verifier().map_err(|error| format!("TLS: {error}"))?,
    };
    Ok(builder.with_no_client_auth())
}

/// A configuration that trusts nobody, for a client that never speaks TLS.
pub(super) fn nobody() -> Result<ClientConfig, String> {
    Ok(builder()?.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, String> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS: {error}"))
}
