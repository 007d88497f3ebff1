//! What help and man pages say beside the options: examples, exit statuses, environment. Plain text, wrapped by hand at 78 columns.

/// Examples stand before the options: they answer most questions.
pub(super) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

pub(super) const S3KIT: &str = "\
Examples:
  s3kit ls s3://bucket/logs/                              what is there
  s3kit cp -r photos s3://bucket/photos/                  a tree, up
  s3kit ls s3://bucket/ | grep '\\.csv$' | s3kit cp csv/   what grep chose, down
  pg_dump db | s3kit cp - s3://bucket/db.sql              a stream, up
  s3kit ls --older 30d s3://bucket/tmp/ | s3kit rm        what is old, gone";

pub(super) const LS: &str = "\
Examples:
  s3kit ls                                      your buckets
  s3kit ls -l s3://bucket/logs/                 sizes and times
  s3kit ls -d s3://bucket/                      one level, as in a directory
  s3kit ls --json --larger 1G s3://bucket/ | jq -r .etag
  s3kit ls 's3://bucket/*.csv' | s3kit cp csv/  copy what a glob matches";

pub(super) const CP_USAGE: &str = "s3kit cp [OPTIONS] SRC... DST\n       ... | s3kit cp [OPTIONS] [DST]";

pub(super) const CP: &str = "\
Examples:
  s3kit cp report.pdf s3://bucket/                 a file, up
  s3kit cp s3://bucket/report.pdf .                and down
  s3kit cp -r s3://bucket/a/ s3://other/a/         a tree, inside the store
  tar c dir | s3kit cp - s3://bucket/dir.tar       a stream, up
  find . -name '*.jpg' -print0 | s3kit cp -0 s3://bucket/pics/
  s3kit ls --newer 1d s3://bucket/in/ | s3kit cp --failed again.txt new/";

pub(super) const CAT: &str = "\
Examples:
  s3kit cat s3://bucket/log.gz | zcat | grep error
  s3kit cat 's3://bucket/part-*' > whole           in the order of their keys
  s3kit ls s3://bucket/2026/ | s3kit cat | wc -l   in the order listed";

pub(super) const RM: &str = "\
Examples:
  s3kit rm s3://bucket/key                         one object
  s3kit rm -r s3://bucket/tmp/                     a tree; asks first
  s3kit rm -rn s3://bucket/tmp/                    what that would delete
  s3kit ls --older 30d s3://bucket/tmp/ | s3kit rm --max-delete 1000
Of objects that come as records it never asks: they are named one by one.";

pub(super) const STAT: &str = "\
Examples:
  s3kit stat s3://bucket/key | jq .                all facts about an object
  s3kit ls s3://bucket/ | s3kit stat | jq -r '[.key, .content_type] | @tsv'";

pub(super) const MB: &str = "\
Example:
  s3kit mb --region eu-west-1 s3://bucket";

pub(super) const RB: &str = "\
Examples:
  s3kit rb s3://bucket                             an empty one
  s3kit rm -r s3://bucket/ && s3kit rb s3://bucket";

pub(super) const SERVE: &str = "\
Examples:
  s3kit serve                                      in memory, on a free port
  s3kit serve --listen 127.0.0.1:9000 store/       in a directory
  s3kit serve --latency get=20ms --faults 503=2%   a slow store with bad days
Access key `s3kit`, secret `s3kit-secret`; others by S3KIT_SERVE_ACCESS_KEY and
S3KIT_SERVE_SECRET_KEY. The first line on stdout says the address.";

pub(super) const SERVE_MORE: &str = "\
Exit status:
  0       ended by SIGTERM or SIGINT
  2       usage or configuration wrong
  3       could not listen, or the store cannot be opened

Environment:
  S3KIT_SERVE_ACCESS_KEY, S3KIT_SERVE_SECRET_KEY
          the credentials that are accepted";

pub(super) const MORE: &str = "\
Exit status:
  0       all that was asked for was done; skips, an empty bucket, an empty list
          and filters that left nothing are success
  1       finished, but some object failed or differed, or a named operand matched
          nothing
  2       usage or configuration wrong; nothing was sent that changes anything
  3       could not start or had to stop: credentials, endpoint, no such bucket,
          listing denied, disk full, a --max-... limit
  129, 130, 143
          ended by SIGHUP, SIGINT or SIGTERM after settling for at most 10 s; a
          second signal ends at once
  141     the reader of stdout went away

Environment:
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
          credentials
  AWS_PROFILE, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE
          profile and where profiles are
  AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL
          region and address of the store
  AWS_CA_BUNDLE, AWS_MAX_ATTEMPTS
          as --ca-bundle and --max-attempts
  S3KIT_...
          the same names with S3KIT_ in place of AWS_ come first; also S3KIT_JOBS,
          S3KIT_PRICES, S3KIT_CONNECT_TIMEOUT and S3KIT_READ_TIMEOUT
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY
          proxies
  NO_COLOR, CLICOLOR_FORCE
          as --color never and --color always
  An option comes before S3KIT_, S3KIT_ before AWS_, AWS_ before the profile; -vv
  says which one won.";
