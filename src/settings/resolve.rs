//! The search order, once: flag, `S3KIT_*`, `AWS_*`, profile, default.

use super::{ConnectionFlags, OutputFlags, PayloadChoice};
use super::{Env, NoCredentials, Origin, Settings, SettingsError, Transfer, defaults};
use crate::model::price::PriceTable;
use crate::model::units;
use crate::s3::client::Payload;
use crate::s3::credentials::{Credentials, Loaded};
use crate::s3::endpoint::{Addressing, Endpoint};
use crate::transport::http::HttpConfig;
use crate::transport::retry::RetryPolicy;
use std::time::Duration;

/// Looks settings up and notes what won.
struct Search<'a> {
    env: Env<'a>,
    profile: String,
    origins: Vec<Origin>,
}

/// A value and where it came from.
type Found = Option<(String, String)>;

impl Search<'_> {
    /// The first of: the flag, `S3KIT_<name>`, `AWS_<name>` for each name, the profile's value. Empty variables count as unset.
    fn find(&self, flag: (&str, Option<String>), names: &[&str], profile: Option<String>) -> Found {
        let variable = |prefix: &str| {
            names
                .iter()
                .map(|name| format!("{prefix}{name}"))
                .find_map(|name| (self.env)(&name).filter(|v| !v.is_empty()).map(|v| (v, name)))
        };
        flag.1
            .map(|value| (value, flag.0.to_owned()))
            .or_else(|| variable("S3KIT_"))
            .or_else(|| variable("AWS_"))
            .or_else(|| profile.map(|value| (value, format!("profile '{}'", self.profile))))
    }

    fn note(&mut self, setting: &'static str, value: impl Into<String>, source: &str) {
        self.origins.push(Origin { setting, value: value.into(), source: source.to_owned() });
    }

    /// Parses what was found, or takes the default; either way notes it.
    fn settle<T>(
        &mut self,
        setting: &'static str,
        found: Found,
        parse: impl Fn(&str) -> Result<T, String>,
        default: (T, &str),
    ) -> Result<T, SettingsError> {
        let Some((text, source)) = found else {
            self.note(setting, default.1, "default");
            return Ok(default.0);
        };
        let value = parse(&text).map_err(|reason| SettingsError::Invalid { source_name: source.clone(), reason })?;
        self.note(setting, text, &source);
        Ok(value)
    }
}

/// Resolves everything, see [`Settings::load`].
pub(super) fn settings(
    connection: &ConnectionFlags,
    output: &OutputFlags,
    env: Env<'_>,
) -> Result<Settings, SettingsError> {
    refuse_two_sides(env)?;
    let loaded = load_profile(connection, env)?;
    let mut search = Search { env, profile: loaded.profile.clone(), origins: Vec::new() };
    let region = region(&mut search, connection, &loaded)?;
    let endpoint = endpoint(&mut search, connection, &loaded)?;
    let http = http(&mut search, connection, &loaded)?;
    let retry = retry(&mut search, connection, &loaded)?;
    let requests = requests(&mut search, output)?;
    let prices = prices(&mut search, output)?;
    let credentials = credentials(&mut search, connection, loaded);
    let transfer = transfer(output);
    Ok(Settings {
        endpoint,
        region,
        credentials,
        http,
        retry,
        payload: payload(connection.payload),
        request_payer: connection.request_payer.is_some(),
        requests,
        transfer,
        prices,
        origins: search.origins,
    })
}

/// Settings for one side of a copy only are not read yet. Ignored in silence, they would copy inside the wrong store.
fn refuse_two_sides(env: Env<'_>) -> Result<(), SettingsError> {
    let names = ["ENDPOINT_URL", "PROFILE", "REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"];
    for name in names.iter().flat_map(|name| ["SRC", "DST"].map(|side| format!("S3KIT_{side}_{name}"))) {
        if env(&name).is_some_and(|value| !value.is_empty()) {
            let reason = "two sides of a copy with settings of their own are not supported yet; unset it".into();
            return Err(SettingsError::Invalid { source_name: name, reason });
        }
    }
    Ok(())
}

/// `S3KIT_X` stands before `AWS_X` for whoever reads only `AWS_*` names. Keys are one setting: if `S3KIT_` gives any, it gives all.
fn load_profile(connection: &ConnectionFlags, env: Env<'_>) -> Result<Loaded, SettingsError> {
    const KEYS: [&str; 3] = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"];
    let own = |name: &str| env(&format!("S3KIT_{name}")).filter(|value| !value.is_empty());
    let own_keys = KEYS.iter().any(|name| own(name).is_some());
    let layered = |name: &str| match name.strip_prefix("AWS_") {
        Some(rest) if own_keys && KEYS.contains(&rest) => own(rest),
        Some(rest) => own(rest).or_else(|| env(name)),
        None => env(name),
    };
    let profile = connection.profile.clone().or_else(|| own("PROFILE").filter(|_| !own_keys));
    Ok(Credentials::load(&layered, profile.as_deref())?)
}

fn region(search: &mut Search<'_>, flags: &ConnectionFlags, loaded: &Loaded) -> Result<String, SettingsError> {
    let found = search.find(("--region", flags.region.clone()), &["REGION", "DEFAULT_REGION"], loaded.region.clone());
    let check = |text: &str| Endpoint::check_region(text).map(|()| text.to_owned()).map_err(|error| error.to_string());
    search.settle("region", found, check, (defaults::REGION.to_owned(), defaults::REGION))
}

fn endpoint(search: &mut Search<'_>, flags: &ConnectionFlags, loaded: &Loaded) -> Result<Endpoint, SettingsError> {
    let addressing = match (flags.path_style, flags.virtual_host) {
        (true, _) => Addressing::Path,
        (_, true) => Addressing::Virtual,
        _ => loaded.addressing.unwrap_or_default(),
    };
    let ignored = (search.env)("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let names: &[&str] = if ignored { &[] } else { &["ENDPOINT_URL_S3", "ENDPOINT_URL"] };
    let found = search.find(("--endpoint-url", flags.endpoint_url.clone()), names, loaded.endpoint_url.clone());
    let parse = |text: &str| Endpoint::custom(text, addressing).map_err(|error| error.to_string());
    search.settle("endpoint", found, parse, (Endpoint::aws(addressing), "AWS"))
}

fn http(search: &mut Search<'_>, flags: &ConnectionFlags, loaded: &Loaded) -> Result<HttpConfig, SettingsError> {
    let connect = search.find(("--connect-timeout", flags.connect_timeout.clone()), &["CONNECT_TIMEOUT"], None);
    let read = search.find(("--read-timeout", flags.read_timeout.clone()), &["READ_TIMEOUT"], None);
    let connect_timeout = search.settle("connect timeout", connect, timeout, (defaults::CONNECT_TIMEOUT, "5s"))?;
    let read_timeout = search.settle("read timeout", read, timeout, (defaults::READ_TIMEOUT, "20s"))?;
    let bundle = flags.ca_bundle.as_ref().map(|path| path.to_string_lossy().into_owned());
    let bundle = search.find(("--ca-bundle", bundle), &["CA_BUNDLE"], loaded.ca_bundle.clone());
    let ca_bundle = search.settle("CA bundle", bundle, |path| read_bundle(path).map(Some), (None, "the system's"))?;
    Ok(HttpConfig { connect_timeout, read_timeout, min_speed: defaults::MIN_SPEED, ca_bundle })
}

/// Bare numbers are seconds, as in the AWS CLI.
fn timeout(text: &str) -> Result<Duration, String> {
    let value = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => units::parse_duration(text)?,
    };
    if value.is_zero() { Err("a timeout must be longer than zero".into()) } else { Ok(value) }
}

fn read_bundle(path: &str) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read '{path}': {error}"))?;
    let marker = b"-----BEGIN CERTIFICATE-----";
    let holds = bytes.windows(marker.len()).any(|window| window == marker);
    if holds { Ok(bytes) } else { Err(format!("'{path}' holds no PEM certificate")) }
}

fn retry(search: &mut Search<'_>, flags: &ConnectionFlags, loaded: &Loaded) -> Result<RetryPolicy, SettingsError> {
    let flag = flags.max_attempts.map(|n| n.to_string());
    let found = search.find(("--max-attempts", flag), &["MAX_ATTEMPTS"], loaded.max_attempts.clone());
    let max_attempts = search.settle("max attempts", found, |text| number(text, 100), (defaults::MAX_ATTEMPTS, "8"))?;
    Ok(RetryPolicy { max_attempts, ..RetryPolicy::default() })
}

fn number(text: &str, most: u32) -> Result<u32, String> {
    match text.parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("'{text}' is not a number from 1 to {most}")),
    }
}

fn requests(search: &mut Search<'_>, flags: &OutputFlags) -> Result<std::ops::RangeInclusive<usize>, SettingsError> {
    let found = search.find(("--jobs", flags.jobs.map(|n| n.to_string())), &["JOBS"], None);
    let found = found.filter(|(_, source)| source != "AWS_JOBS");
    let fixed = search.settle("jobs", found, |text| number(text, 4096).map(Some), (None, "adaptive, up to 256"))?;
    Ok(match fixed {
        None => defaults::START_REQUESTS..=defaults::MAX_REQUESTS,
        Some(n) => (n as usize).min(defaults::START_REQUESTS)..=n as usize,
    })
}

fn prices(search: &mut Search<'_>, flags: &OutputFlags) -> Result<PriceTable, SettingsError> {
    let found = search.find(("--prices", flags.prices.clone()), &["PRICES"], None);
    let found = found.filter(|(_, source)| source != "AWS_PRICES");
    let default = PriceTable::default();
    let source = default.source.clone();
    search.settle("prices", found, PriceTable::parse, (default, &source))
}

fn credentials(search: &mut Search<'_>, flags: &ConnectionFlags, loaded: Loaded) -> Result<Credentials, NoCredentials> {
    if flags.no_sign_request {
        search.note("credentials", "none", "--no-sign-request");
        return Ok(Credentials::Anonymous);
    }
    match (loaded.credentials, loaded.unusable) {
        (Some(found), _) => {
            if let Credentials::Static(keys) = &found {
                let id: Vec<char> = keys.access_key_id.chars().collect();
                let tail: String = id[id.len().saturating_sub(4)..].iter().collect();
                search.note("credentials", format!("access key …{tail}"), &keys.origin);
            }
            Ok(found)
        }
        (None, Some(unusable)) => Err(NoCredentials::Unusable(unusable)),
        (None, None) => Err(NoCredentials::NotFound(vec![
            "S3KIT_ACCESS_KEY_ID".into(),
            "AWS_ACCESS_KEY_ID".into(),
            format!("profile '{}'", loaded.profile),
        ])),
    }
}

fn payload(choice: PayloadChoice) -> Payload {
    match choice {
        PayloadChoice::Auto => Payload::Auto,
        PayloadChoice::Unsigned => Payload::Unsigned,
        PayloadChoice::Signed => Payload::Signed,
    }
}

fn transfer(flags: &OutputFlags) -> Transfer {
    let ram = physical_memory() / defaults::MEMORY_SHARE;
    Transfer {
        jobs: flags.jobs.map_or(defaults::MAX_REQUESTS, |n| n as usize),
        memory: defaults::MEMORY.min(ram),
        part_size: defaults::PART_SIZE,
        multipart_threshold: defaults::MULTIPART_THRESHOLD,
    }
}

/// Bytes of RAM.
fn physical_memory() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram.saturating_mul(u64::from(info.mem_unit))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write;

    /// A world with these variables, and a profile `work` in the only config file.
    fn load(connection: &ConnectionFlags, variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(
            b"[profile work]\nregion = eu-north-1\naws_access_key_id = PROFILE\naws_secret_access_key = s\n",
        )
        .unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let env = |name: &str| match name {
            "AWS_CONFIG_FILE" => Some(path.clone()),
            "AWS_SHARED_CREDENTIALS_FILE" => Some("/dev/null".into()),
            _ => variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()),
        };
        settings(connection, &OutputFlags::default(), &env)
    }

    fn key(settings: &Settings) -> String {
        match &settings.credentials {
            Ok(Credentials::Static(keys)) => keys.access_key_id.clone(),
            other => format!("{other:?}"),
        }
    }

    fn origin(settings: &Settings, setting: &str) -> String {
        settings.origins.iter().find(|origin| origin.setting == setting).unwrap().source.clone()
    }

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "ENV"), ("AWS_SECRET_ACCESS_KEY", "s")];

    #[test]
    fn a_flag_beats_s3kit_beats_aws_beats_the_profile_beats_the_default() {
        let flag = ConnectionFlags { region: Some("flag-1".into()), ..ConnectionFlags::default() };
        let none = ConnectionFlags::default();
        let all = [("S3KIT_REGION", "own-1"), ("AWS_REGION", "aws-1"), ("AWS_PROFILE", "work")];
        let region = |flags, variables| {
            let settings = load(flags, variables).unwrap();
            (settings.region.clone(), origin(&settings, "region"))
        };
        assert_eq!(region(&flag, &all), ("flag-1".into(), "--region".into()));
        assert_eq!(region(&none, &all), ("own-1".into(), "S3KIT_REGION".into()));
        assert_eq!(region(&none, &all[1..]), ("aws-1".into(), "AWS_REGION".into()));
        assert_eq!(region(&none, &all[2..]), ("eu-north-1".into(), "profile 'work'".into()));
        assert_eq!(region(&none, &[]), ("us-east-1".into(), "default".into()));
    }

    #[test]
    fn settings_of_one_side_alone_are_refused_not_ignored() {
        let refused = load(&ConnectionFlags::default(), &[("S3KIT_DST_ENDPOINT_URL", "http://other")]).unwrap_err();
        assert!(refused.to_string().contains("S3KIT_DST_ENDPOINT_URL"), "{refused}");
    }

    #[test]
    fn an_empty_variable_is_unset() {
        assert_eq!(load(&ConnectionFlags::default(), &[("AWS_REGION", "")]).unwrap().region, "us-east-1");
    }

    #[test]
    fn a_profile_named_by_flag_beats_keys_of_the_environment() {
        let flag = ConnectionFlags { profile: Some("work".into()), ..ConnectionFlags::default() };
        assert_eq!(key(&load(&flag, &KEYS).unwrap()), "PROFILE");
        assert_eq!(key(&load(&ConnectionFlags::default(), &KEYS).unwrap()), "ENV");
    }

    #[test]
    fn keys_of_our_own_come_whole_and_are_not_mixed_with_others() {
        let own = [("S3KIT_ACCESS_KEY_ID", "OWN"), ("S3KIT_SECRET_ACCESS_KEY", "s"), ("AWS_SESSION_TOKEN", "other's")];
        let settings = load(&ConnectionFlags::default(), &[&own[..], &KEYS].concat()).unwrap();
        let Ok(Credentials::Static(keys)) = &settings.credentials else { panic!("has keys") };
        assert_eq!((keys.access_key_id.as_str(), &keys.session_token), ("OWN", &None));
    }

    #[test]
    fn what_was_tried_is_told_when_there_are_no_credentials() {
        let settings = load(&ConnectionFlags::default(), &[]).unwrap();
        let text = settings.client_config().unwrap_err().to_string();
        assert!(text.contains("AWS_ACCESS_KEY_ID") && text.contains("profile 'default'"), "{text}");
        let unsigned = ConnectionFlags { no_sign_request: true, ..ConnectionFlags::default() };
        assert!(load(&unsigned, &[]).unwrap().client_config().is_ok());
    }

    #[test]
    fn a_bad_value_is_refused_with_the_name_of_its_source() {
        let refused = |name: &str, value: &str| match load(&ConnectionFlags::default(), &[(name, value)]) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        for (name, value) in [
            ("AWS_REGION", "eu west"),
            ("AWS_ENDPOINT_URL", "localhost:9000"),
            ("AWS_MAX_ATTEMPTS", "0"),
            ("S3KIT_JOBS", "many"),
            ("S3KIT_READ_TIMEOUT", "0"),
            ("AWS_CA_BUNDLE", "/no/such/file"),
        ] {
            let text = refused(name, value);
            assert!(text.starts_with(name), "{name}={value}: {text:?}");
        }
    }

    #[test]
    fn jobs_bound_requests_from_both_sides() {
        let output = |jobs| OutputFlags { jobs, ..OutputFlags::default() };
        let requests = |jobs| settings(&ConnectionFlags::default(), &output(jobs), &|_| None).unwrap().requests;
        assert_eq!(requests(None), defaults::START_REQUESTS..=defaults::MAX_REQUESTS);
        assert_eq!(requests(Some(4)), 4..=4);
        assert_eq!(requests(Some(100)), defaults::START_REQUESTS..=100);
    }
}
