# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_s3kit_global_optspecs
    string join \n q/quiet v/verbose j/jobs= stats= prices= progress no-progress color= profile= region= endpoint-url= path-style virtual-host no-sign-request request-payer= ca-bundle= connect-timeout= read-timeout= max-attempts= payload= h/help V/version
end

function __fish_s3kit_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_s3kit_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_s3kit_using_subcommand
    set -l cmd (__fish_s3kit_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c s3kit -n "__fish_s3kit_needs_command" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_needs_command" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_needs_command" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_needs_command" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_needs_command" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_needs_command" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_needs_command" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_needs_command" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_needs_command" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_needs_command" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_needs_command" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_needs_command" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_needs_command" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_needs_command" -s V -l version -d 'Print version'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "ls" -d 'List objects, or buckets'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "cp" -d 'Copy between files, objects, stdin and stdout'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "cat" -d 'Write objects to stdout, in order'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "rm" -d 'Delete objects'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "stat" -d 'Print facts about objects as JSON lines'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "mb" -d 'Make a bucket'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "rb" -d 'Remove an empty bucket'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "serve" -d 'Start an S3 endpoint on this machine'
complete -c s3kit -n "__fish_s3kit_needs_command" -f -a "generate" -d 'Write man pages or completions to a directory'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l delimiter -d 'What separates levels' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l start-after -d 'Begin after this key' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l end-at -d 'End with this key' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l max-keys -d 'Print at most N records' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l from -d 'Read records from FILE; `-` is stdin' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l include -d 'Take names that match; the last rule that matches wins' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l exclude -d 'Leave out names that match (`*` and `?` match `/` too)' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l regex -d 'As --include, with a regular expression, searched anywhere' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l exclude-regex -d 'As --exclude, with a regular expression' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l larger -d 'At least so many bytes, such as `10M`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l smaller -d 'At most so many bytes' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l newer -d 'Modified at or after, such as `2d` or `2026-01-31`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l older -d 'Modified before' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l storage-class -d 'Only objects of this storage class; may be repeated' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l format -d 'Form of the records [default: by the suffix of -o, else uri]' -r -f -a "uri\t'`s3://bucket/key`'
json\t'JSON lines'
tsv\t'Tab-separated'
csv\t'Comma-separated, for spreadsheets'"
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s o -l output -d 'Write to FILE, which is replaced when the listing is whole' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s d -l directory -d 'One level: keys and common prefixes'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s 0 -l null -d 'Records end with NUL instead of a newline, in and out'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l require-input -d 'Exit 1 if the list is empty'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l raw -d 'Take operands literally: no globs'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s l -l long -d 'Size, time and URI, aligned, for people'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s H -l human-readable -d 'With -l: sizes as `1.5 GiB`'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l json -d 'JSON lines'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l tsv -d 'Tab-separated: uri, size, time, `ETag`, storage class'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l header -d 'Begin TSV or CSV with the names of the fields'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand ls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l from -d 'Read records from FILE; `-` is stdin' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l include -d 'Take names that match; the last rule that matches wins' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l exclude -d 'Leave out names that match (`*` and `?` match `/` too)' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l regex -d 'As --include, with a regular expression, searched anywhere' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l exclude-regex -d 'As --exclude, with a regular expression' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l larger -d 'At least so many bytes, such as `10M`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l smaller -d 'At most so many bytes' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l newer -d 'Modified at or after, such as `2d` or `2026-01-31`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l older -d 'Modified before' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l if-match -d 'Replace the destination object only while it has this `ETag`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l on-conflict -d 'Two sources with one destination: the later one fails, is skipped, or gets a suffix' -r -f -a "error\t'It fails'
skip\t'It is skipped'
suffix\t'Its name gets `-2`, `-3` … before the extension'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l strip -d 'Name without PREFIX, which every key must have' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l name -d 'Name by a template: `{}` key, `{/}` base, `{//}` directory, `{.}` no extension, `{bucket}`, `{n:06}`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l content-type -d 'Content-Type [default: by the file name]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l cache-control -d 'Cache-Control' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l content-disposition -d 'Content-Disposition' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l content-encoding -d 'Content-Encoding' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l content-language -d 'Content-Language' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l expires -d 'Expires' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l metadata -d 'User metadata; may be repeated' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l tags -d 'Tags; may be repeated' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l storage-class -d 'Storage class, such as `STANDARD_IA`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l acl -d 'Canned ACL, such as `bucket-owner-full-control`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l sse -d 'Encryption at rest: `AES256` or `aws:kms`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l sse-kms-key-id -d 'Key of `aws:kms`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l failed -d 'Write the input records of what failed to FILE, ready for another run' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l expect-size -d 'Fail before anything is completed unless the source has this size' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l expect-records -d 'Fail unless the list has N records' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l part-size -d 'Length of parts and ranges [default: 8M, more for objects over 78 GiB]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l multipart-threshold -d 'Size from which uploads and copies go in parts [default: uploads 16M, copies 512M]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s r -l recursive -d 'Copy trees: all below a path or directory'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l dry-run -d 'Print what would be copied, as records, and what it would cost; send only reads'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s n -d 'Stands for two things elsewhere, so it stands for none here'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s f -l force -d 'Replace an object even by an empty stdin'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s 0 -l null -d 'Records end with NUL instead of a newline, in and out'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l require-input -d 'Exit 1 if the list is empty'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l raw -d 'Take operands literally: no globs'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l no-clobber -d 'Skip what exists at the destination'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s u -l update -d 'Skip what has the same size and is not older at the destination'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l flatten -d 'Name by the last component only'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l follow -d 'Walk through symbolic links to directories'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l no-guess-mime-type -d 'Do not guess a Content-Type'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l print -d 'Print the destination of everything copied, as records'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l json -d 'With --print or --dry-run: JSON lines'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l fsync -d 'Wait until downloaded files are on the disk'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand cp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l version-id -d 'Version of the one object named' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l from -d 'Read records from FILE; `-` is stdin' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l failed -d 'Write the input records of what failed to FILE, ready for another run' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s f -l force -d 'Write binary data even to a terminal'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s 0 -l null -d 'Records end with NUL instead of a newline, in and out'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l require-input -d 'Exit 1 if the list is empty'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l raw -d 'Take operands literally: no globs'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand cat" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l max-delete -d 'Delete at most N objects: none of a tree that holds more, the first N of a list' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l version-id -d 'Version of the one object named' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l from -d 'Read records from FILE; `-` is stdin' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l include -d 'Take names that match; the last rule that matches wins' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l exclude -d 'Leave out names that match (`*` and `?` match `/` too)' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l regex -d 'As --include, with a regular expression, searched anywhere' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l exclude-regex -d 'As --exclude, with a regular expression' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l larger -d 'At least so many bytes, such as `10M`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l smaller -d 'At most so many bytes' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l newer -d 'Modified at or after, such as `2d` or `2026-01-31`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l older -d 'Modified before' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l failed -d 'Write the input records of what failed to FILE, ready for another run' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s r -l recursive -d 'Delete all below a path; asks first'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s n -l dry-run -d 'Print what would be deleted, as records; send only reads'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s f -l force -d 'Do not ask'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s 0 -l null -d 'Records end with NUL instead of a newline, in and out'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l require-input -d 'Exit 1 if the list is empty'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l raw -d 'Take operands literally: no globs'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l print -d 'Print everything deleted, as records'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l json -d 'With --print or --dry-run: JSON lines'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l version-id -d 'Version of the one object named' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l from -d 'Read records from FILE; `-` is stdin' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l failed -d 'Write the input records of what failed to FILE, ready for another run' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -s 0 -l null -d 'Records end with NUL instead of a newline, in and out'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l require-input -d 'Exit 1 if the list is empty'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l raw -d 'Take operands literally: no globs'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand stat" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand mb" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand rb" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l listen -d 'Address and port; port 0 takes a free one' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l synthetic -d 'Serve a generated listing as bucket `bench`, such as `flat:1000000`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l provider -d 'Habits to have: `aws`, `r2`, `ceph` or `minimal`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l request-log -d 'Append one JSON line a request to FILE' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l latency -d 'Time answers take, such as `page=85ms,get=20ms`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l throttle -d 'Requests admitted a second, such as `put=3500/s,get=5500/s,burst=200`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l faults -d 'What goes wrong, such as `503=2%,reset=0.5%` or `UploadPart#3=403`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l memory -d 'Keep objects in memory only'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l anonymous -d 'Accept unsigned requests'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -s j -l jobs -d 'Requests in flight at most [default: adapts, up to 256]' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l stats -d 'Print what was done, took and cost at the end' -r -f -a "text\t'For people'
json\t'One JSON line'"
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l prices -d 'Request prices in USD a thousand, as `write=0.005,read=0.0004`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l color -d 'When to colour messages' -r -f -a "auto\t'If stderr is a terminal and nothing in the environment objects'
always\t'Even into a pipe'
never\t'Not at all'"
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l profile -d 'Profile of the AWS config files' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l region -d 'Region of the store' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l endpoint-url -d 'Address of a store other than AWS, as `https://host:port`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l request-payer -d 'Agree to pay for requests to requester-pays buckets' -r -f -a "requester\t''"
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l ca-bundle -d 'Certificates to trust, a PEM file' -r -F
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l connect-timeout -d 'Longest wait for a connection, such as `5s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l read-timeout -d 'Longest silence of a connection, such as `20s`' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l max-attempts -d 'Attempts a request gets, the first included' -r
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l payload -d 'How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify' -r -f -a "auto\t'What the store is known to verify'
unsigned\t'A CRC header, the payload itself unsigned'
signed\t'A signed SHA-256'"
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -s q -l quiet -d 'Say nothing but errors'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -s v -l verbose -d 'Say more; -vv also where each setting came from'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l progress -d 'Draw progress even if stdout is a pipe'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l no-progress -d 'Never draw progress'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l path-style -d 'Address buckets as `host/bucket` [default: for custom endpoints]'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l virtual-host -d 'Address buckets as `bucket.host`'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -l no-sign-request -d 'Send requests without credentials'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c s3kit -n "__fish_s3kit_using_subcommand generate" -s V -l version -d 'Print version'
