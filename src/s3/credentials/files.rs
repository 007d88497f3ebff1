//! The shared config and credentials files, by AWS' own parser.

use super::{Credentials, CredentialsError, Loaded};
use crate::s3::endpoint::Addressing;
use aws_runtime::env_config::file::EnvConfigFiles;
use aws_runtime::env_config::property::PropertiesKey;
use aws_runtime::env_config::section::{EnvConfigSections, Profile};
use aws_runtime::env_config::source;
use aws_types::os_shim_internal::{Env, Fs};
use futures_util::FutureExt;

/// Ways to get keys that need more than a file, by the setting that gives them away.
const UNSUPPORTED: [&str; 7] = [
    "role_arn",
    "sso_session",
    "sso_start_url",
    "credential_process",
    "credential_source",
    "web_identity_token_file",
    "login_session",
];

/// The files, parsed, and the profile that was chosen.
#[derive(Debug)]
pub(super) struct Files {
    sections: EnvConfigSections,
    name: String,
}

impl Files {
    pub(super) fn read(env: &dyn Fn(&str) -> Option<String>, profile: Option<&str>) -> Result<Self, CredentialsError> {
        let chosen = |name| env(name).filter(|value| !value.is_empty());
        let named =
            profile.map(str::to_owned).or_else(|| chosen("AWS_PROFILE")).or_else(|| chosen("AWS_DEFAULT_PROFILE"));
        let source = source::load(&environment(env), &Fs::real(), &EnvConfigFiles::default())
            .now_or_never()
            .expect("the files are read without waiting")
            .map_err(|error| CredentialsError::Config(chain(&error)))?;
        let sections = EnvConfigSections::parse(source).map_err(|error| CredentialsError::Config(chain(&error)))?;
        match named {
            Some(name) if sections.get_profile(&name).is_none() => Err(CredentialsError::NoSuchProfile(name)),
            named => Ok(Self { sections, name: named.unwrap_or_else(|| "default".into()) }),
        }
    }

    fn profile(&self) -> Option<&Profile> {
        self.sections.get_profile(&self.name)
    }

    fn get(&self, setting: &str) -> Option<String> {
        self.profile()?.get(setting).filter(|value| !value.is_empty()).map(str::to_owned)
    }

    /// The settings that are not secrets.
    pub(super) fn facts(&self, env: &dyn Fn(&str) -> Option<String>) -> Loaded {
        let ignored = [env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), self.get("ignore_configured_endpoint_urls")];
        let ignored = ignored.iter().flatten().any(|value| value.eq_ignore_ascii_case("true"));
        let endpoint_url = if ignored { None } else { self.service_endpoint().or_else(|| self.get("endpoint_url")) };
        Loaded {
            profile: self.name.clone(),
            region: self.get("region"),
            endpoint_url,
            addressing: self.addressing(),
            ca_bundle: self.get("ca_bundle"),
            max_attempts: self.get("max_attempts"),
            ..Loaded::default()
        }
    }

    /// `endpoint_url` below `s3 =` in the `[services …]` section that the profile names.
    fn service_endpoint(&self) -> Option<String> {
        let key = PropertiesKey::builder()
            .section_key("services")
            .section_name(self.get("services")?)
            .property_name("s3")
            .sub_property_name("endpoint_url")
            .build()
            .ok()?;
        self.sections.other_sections().get(&key).cloned()
    }

    /// `addressing_style` below `s3 =`; nested settings come as one text of lines.
    fn addressing(&self) -> Option<Addressing> {
        match nested(&self.get("s3")?, "addressing_style")?.to_ascii_lowercase().as_str() {
            "path" => Some(Addressing::Path),
            "virtual" => Some(Addressing::Virtual),
            _ => Some(Addressing::Auto),
        }
    }

    /// The profile's keys; `None` if it says nothing about any.
    pub(super) fn credentials(&self) -> Result<Option<Credentials>, CredentialsError> {
        let origin = format!("profile '{}'", self.name);
        let lacks = |has, lacks| CredentialsError::Incomplete { origin: origin.clone(), has, lacks };
        let indirect = UNSUPPORTED.into_iter().find(|setting| self.get(setting).is_some());
        if let Some(method) = indirect.filter(|method| *method == "role_arn" || self.get("aws_access_key_id").is_none())
        {
            return Err(CredentialsError::Unsupported { profile: self.name.clone(), method });
        }
        match (self.get("aws_access_key_id"), self.get("aws_secret_access_key")) {
            (Some(id), Some(secret)) => {
                Ok(Some(Credentials::fixed(&id, &secret, self.get("aws_session_token").as_deref(), &origin)))
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(lacks("aws_access_key_id", "aws_secret_access_key")),
            (None, Some(_)) => Err(lacks("aws_secret_access_key", "aws_access_key_id")),
        }
    }
}

/// One setting of a nested section.
fn nested(lines: &str, name: &str) -> Option<String> {
    let mut settings = lines.lines().filter_map(|line| line.split_once('='));
    settings.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// What the parser needs of the environment, as the value it takes.
fn environment(env: &dyn Fn(&str) -> Option<String>) -> Env {
    let names = ["HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"];
    let values: Vec<(&str, String)> = names.into_iter().filter_map(|name| Some((name, env(name)?))).collect();
    Env::from_slice(&values.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>())
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::HashMap;

    const CONFIG: &str = "\
[default]
region = eu-west-1
[profile work]
aws_access_key_id = WORKID
aws_secret_access_key = WORKSECRET
endpoint_url = http://plain
services = local
s3 =
    max_concurrent_requests = 20
    addressing_style = virtual
[services local]
s3 =
    endpoint_url = http://nested
[profile role]
role_arn = arn:aws:iam::1:role/x
source_profile = work
region = eu-north-1
[profile half]
aws_access_key_id = HALF
";
    const SECRETS: &str =
        "[default]\naws_access_key_id = FILEID\naws_secret_access_key = FILESECRET\naws_session_token = T\n";

    fn load(env: &[(&str, &str)], profile: Option<&str>) -> Result<Loaded, CredentialsError> {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(path("config"), CONFIG).unwrap();
        std::fs::write(path("credentials"), SECRETS).unwrap();
        let mut all: HashMap<String, String> =
            env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        all.insert("AWS_CONFIG_FILE".into(), path("config"));
        all.insert("AWS_SHARED_CREDENTIALS_FILE".into(), path("credentials"));
        Credentials::load(&|name| all.get(name).cloned(), profile)
    }

    fn id(loaded: &Loaded) -> Option<&str> {
        match loaded.credentials.as_ref()? {
            Credentials::Static(keys) => Some(&keys.access_key_id),
            Credentials::Anonymous => None,
        }
    }

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "ENVID"), ("AWS_SECRET_ACCESS_KEY", "S")];

    #[test]
    fn the_environment_beats_the_default_profile_and_takes_its_region() {
        let loaded = load(&KEYS, None).unwrap();
        assert_eq!((id(&loaded), loaded.region.as_deref()), (Some("ENVID"), Some("eu-west-1")));
        assert_eq!(id(&load(&[], None).unwrap()), Some("FILEID"));
    }

    #[test]
    fn an_explicit_profile_beats_the_environment_but_a_chosen_one_does_not() {
        assert_eq!(id(&load(&KEYS, Some("work")).unwrap()), Some("WORKID"));
        let env = [KEYS[0], KEYS[1], ("AWS_PROFILE", "work")];
        let loaded = load(&env, None).unwrap();
        assert_eq!((id(&loaded), loaded.profile.as_str()), (Some("ENVID"), "work"));
    }

    #[test]
    fn the_endpoint_comes_from_the_service_section_first_and_can_be_ignored() {
        let loaded = load(&[], Some("work")).unwrap();
        assert_eq!(loaded.endpoint_url.as_deref(), Some("http://nested"));
        assert_eq!(loaded.addressing, Some(Addressing::Virtual));
        let ignored = load(&[("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")], Some("work")).unwrap();
        assert_eq!(ignored.endpoint_url, None);
    }

    #[test]
    fn a_profile_that_needs_more_than_a_file_says_so_and_keeps_its_region() {
        let loaded = load(&[], Some("role")).unwrap();
        assert!(loaded.credentials.is_none());
        assert_eq!(loaded.region.as_deref(), Some("eu-north-1"));
        let text = loaded.unusable.unwrap().to_string();
        assert!(text.contains("role_arn") && text.contains("export-credentials --profile role"), "{text}");
    }

    #[test]
    fn half_a_key_and_a_missing_profile_are_errors() {
        let half = load(&[], Some("half")).unwrap().unusable.unwrap();
        assert_eq!(half.to_string(), "profile 'half' has aws_access_key_id but no aws_secret_access_key");
        assert!(matches!(load(&KEYS[..1], None), Err(CredentialsError::Incomplete { .. })));
        assert_eq!(load(&KEYS, Some("nope")).unwrap_err(), CredentialsError::NoSuchProfile("nope".into()));
    }

    #[test]
    fn debug_shows_no_secret() {
        let text = format!("{:?}", load(&[], Some("work")).unwrap());
        assert!(!text.contains("WORKSECRET") && !text.contains("WORKID"), "{text}");
    }
}
