import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { detached } from "../../adapters-infra/sandbox/confine.ts";
import { refusingFilter } from "../../adapters-infra/sandbox/seccomp.ts";

const perl = "/usr/bin/perl";
const isRoot = process.getuid?.() === 0;

/** Runs a program without a sandbox, started through another one. */
const printedBy = (
  [name = "", ...given]: readonly string[],
  env: Readonly<Record<string, string>>,
  through: readonly string[] = [],
) => {
  const program = detached(perl)!({ command: name, args: given, env });
  const [command = "", ...args] = [...through, program.command, ...program.args];
  return execFileSync(command, args, { env: { ...program.env }, encoding: "utf8" });
};

describe.skipIf(process.platform !== "linux")("a program that leaves what its service has", () => {
  it("gets its environment as it was given, also what Perl would load code by", () => {
    const env = { PATH: "/usr/bin:/bin", PERL5OPT: "-MNothing", LD_PRELOAD: "", "with.dot": "1" };
    const printed = printedBy(["/usr/bin/env"], env).split("\n");
    expect(printed).toEqual(expect.arrayContaining(["PERL5OPT=-MNothing", "LD_PRELOAD=", "with.dot=1"]));
    expect(printed.join()).not.toContain("ASIDE");
  });

  it.skipIf(!isRoot)("has no capability that an ordinary user of the service has", () => {
    const rights = ["--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service"];
    const through = ["setpriv", "--reuid=58732", "--regid=58732", "--clear-groups", ...rights, "--"];
    const grep = ["/bin/grep", "-E", "^Cap(Prm|Eff|Amb)", "/proc/self/status"];
    const env = { PATH: "/usr/bin:/bin" };
    const [command = "", ...args] = [...through, ...grep];
    expect(execFileSync(command, args, { env, encoding: "utf8" })).toMatch(/CapAmb:\t0*400\n/);
    expect(printedBy(grep, env, through)).toBe(
      ["CapPrm", "CapEff", "CapAmb"].map((name) => `${name}:\t${"0".repeat(16)}\n`).join(""),
    );
  });

  it("is not started where Perl is missing", () => {
    expect(detached(null)).toBeNull();
  });
});

/** Carries a filter out as the kernel does; returns its verdict. */
const verdictOf = (filter: Buffer, kind: number, number: number): number => {
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, ifTrue, ifFalse] = [0, 2, 3].map((offset) =>
      offset === 0 ? filter.readUInt16LE(at * 8) : filter.readUInt8(at * 8 + offset),
    );
    const operand = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = operand === 0 ? number : kind;
    else if (code === 0x54) loaded = (loaded & operand) >>> 0;
    else if (code === 0x15) at += loaded === operand ? ifTrue! : ifFalse!;
    else throw new Error(`an instruction that the filter does not need: ${code}`);
  }
};

describe("the filter of system calls", () => {
  const allowed = 0x7fff0000;
  const refused = 0x00050026;
  it.each([
    ["x64", 0xc000003e, [425, 426, 427, 323, 248, 249, 250, 0x40000000 + 250]],
    ["x64", 0x40000003, [425, 426, 427, 374, 286, 287, 288]],
    ["arm64", 0xc00000b7, [425, 426, 427, 282, 217, 218, 219]],
    ["arm64", 0x40000028, [425, 426, 427, 388, 309, 310, 311]],
  ] as const)("on %s (kind %i) refuses these calls alone", (processor, kind, numbers) => {
    const filter = refusingFilter(processor)!;
    const found = Array.from({ length: 600 }, (_, number) => number).filter(
      (number) => verdictOf(filter, kind, number) !== allowed,
    );
    expect(found).toEqual(numbers.filter((number) => number < 600).toSorted((one, other) => one - other));
    for (const number of numbers) expect(verdictOf(filter, kind, number)).toBe(refused);
  });

  it("is left out where the numbers are not known", () => {
    expect(refusingFilter("riscv64")).toBeNull();
  });
});
