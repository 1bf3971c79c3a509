/**
 * A Perl script that puts itself into a Landlock domain and then runs the program of its arguments. Programs of a domain
 * reach no abstract socket and signal no process outside of it (`scoped`, Linux 6.12 or later, man 7 landlock), and may
 * still mount, as coding CLIs do for sandboxes of their own. Perl, because every Debian has it and it can make system
 * calls; their numbers are the same on all processors but alpha. The caller needs no_new_privs or CAP_SYS_ADMIN.
 */
const script = `
my $attributes = pack("QQQ", 0, 0, 3);
my $domain = syscall(444, $attributes, 24, 0);
die "landlock_create_ruleset: $!\\n" if $domain < 0;
die "landlock_restrict_self: $!\\n" if syscall(446, $domain, 0) != 0;
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;

/** The arguments before a command line that runs in a domain of its own. */
export const scoped = (perl: string): readonly string[] => [perl, "-e", script, "--"];
