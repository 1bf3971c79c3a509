import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { UserRange } from "../../ports/sandbox.ts";

/** The address at which clouds give any program the machine's credentials. */
const metadata = { iptables: ["-d", "169.254.0.0/16"], ip6tables: ["-d", "fd00:ec2::/32"] } as const;

const run = promisify(execFile);

/** The rules that block addresses for users' programs, each as it follows `-I OUTPUT`. */
const rulesFor = ({ first, last }: UserRange, loopbackPorts: readonly number[]) => {
  const ofUsers = ["-m", "owner", "--uid-owner", `${first}-${last}`, "-j", "REJECT"];
  return [
    ["iptables", [...metadata.iptables, ...ofUsers]],
    ["ip6tables", [...metadata.ip6tables, ...ofUsers]],
    ...loopbackPorts.flatMap((port) => [
      ["iptables", ["-o", "lo", "-p", "tcp", "--dport", `${port}`, ...ofUsers]] as const,
      ["ip6tables", ["-o", "lo", "-p", "tcp", "--dport", `${port}`, ...ofUsers]] as const,
    ]),
  ] as const;
};

/**
 * Blocks the users of the range from the metadata address of clouds and from those ports of this machine. Returns a
 * function that removes the rules, or a sentence where the machine has no usable firewall.
 */
export const closeToUsers = async (
  users: UserRange,
  loopbackPorts: readonly number[],
): Promise<{ readonly open: () => Promise<void> } | { readonly gap: string }> => {
  const added: (readonly [string, readonly string[]])[] = [];
  const open = async () => {
    for (const [program, rule] of added) await run(program, ["-w", "-D", "OUTPUT", ...rule]).catch(() => {});
  };
  try {
    for (const [program, rule] of rulesFor(users, loopbackPorts)) {
      const stands = await run(program, ["-w", "-C", "OUTPUT", ...rule]).then(
        () => true,
        () => false,
      );
      if (stands) continue;
      await run(program, ["-w", "-I", "OUTPUT", ...rule]);
      added.push([program, rule]);
    }
    return { open };
  } catch (error) {
    await open();
    return {
      gap:
        (error as NodeJS.ErrnoException).code === "ENOENT"
          ? "iptables is not installed: agents reach the metadata address of a cloud and the database's port. Install it (apt-get install iptables)."
          : "The firewall takes no rules from the service: agents reach the metadata address of a cloud and the database's port. Refuse them 169.254.0.0/16 by other means.",
    };
  }
};
