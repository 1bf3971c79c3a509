import { describe, expect, it } from "vitest";
import { failureReason } from "../../core/model/runs/failure-reason.ts";

/** Error outputs copied from real programs, shortened in the middle of stacks. */
const tails: readonly (readonly [program: string, output: string, reason: string])[] = [
  [
    "Node.js with a cause",
    `/app/tides.cjs:1
throw Object.assign(new TypeError("tides.example answered 503",{cause:c}),{status:503}); }
                    ^

TypeError: tides.example answered 503
    at load (/app/tides.cjs:1:117)
    at Object.<anonymous> (/app/tides.cjs:2:1)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/run_main_module:28:49 {
  status: 503,
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:80
      at load (/app/tides.cjs:1:26)
      at node:internal/main/run_main_module:28:49 {
    code: 'ECONNREFUSED'
  }
}

Node.js v20.20.2
`,
    "TypeError: tides.example answered 503",
  ],
  [
    "Node.js with a code",
    `node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nope' imported from /app/b.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:657:25) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v20.20.2`,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nope' imported from /app/b.mjs",
  ],
  [
    "Node.js with a rejection",
    `node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated by rejecting a promise with the reason "5".
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2`,
    'UnhandledPromiseRejection: This error originated by rejecting a promise with the reason "5".',
  ],
  [
    "Node.js with a message of two lines",
    "[eval]:1\nthrow x\n^\n\nRangeError: line one\nline two\n    at [eval]:1:35\n\nNode.js v20.20.2\n",
    "RangeError: line one",
  ],
  [
    "Bun",
    '3 |   throw new Error("no tide table")\n            ^\nerror: no tide table\n      at read (/app/tides.ts:3:9)\n\nBun v1.2.0 (Linux x64)\n',
    "error: no tide table",
  ],
  [
    "Python with exceptions in a chain",
    `Traceback (most recent call last):
  File "/app/a.py", line 4, in f
    try: {}["a"]
         ~~^^^^^
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/a.py", line 6, in <module>
    f()
  File "/app/a.py", line 5, in f
    except KeyError as e: raise Tide("no tide table for Brest")
                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
Tide: no tide table for Brest
`,
    "Tide: no tide table for Brest",
  ],
  [
    "Python with a module's exception",
    `Traceback (most recent call last):
  File "/usr/lib/python3.11/subprocess.py", line 571, in run
    raise CalledProcessError(retcode, process.args,
subprocess.CalledProcessError: Command '['false']' returned non-zero exit status 1.`,
    "subprocess.CalledProcessError: Command '['false']' returned non-zero exit status 1.",
  ],
  [
    "Python with an exception without a message",
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nAssertionError\n',
    "AssertionError",
  ],
  [
    "Python that cannot parse",
    "  File \"/app/c.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n",
    "SyntaxError: '(' was never closed",
  ],
  [
    "Python with a group of exceptions",
    `  + Exception Group Traceback (most recent call last):
  |   File "<string>", line 1, in <module>
  | ExceptionGroup: two failures (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: a
    +---------------- 2 ----------------
    | KeyError: 'b'
    +------------------------------------`,
    "KeyError: 'b'",
  ],
  [
    "Python's argparse",
    "usage: tides [-h] port\ntides: error: the following arguments are required: port\n",
    "tides: error: the following arguments are required: port",
  ],
  [
    "Go that panics",
    `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.levels(...)
	/app/tides.go:8
main.main()
	/app/tides.go:12 +0x1d
exit status 2
`,
    "panic: runtime error: index out of range [5] with length 3",
  ],
  [
    "Go at a bad address",
    `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f0a2]

goroutine 6 [running]:
main.(*Gauge).read(0x0)
	/app/gauge.go:21 +0x22
created by main.main in goroutine 1
	/app/main.go:9 +0x25`,
    "panic: runtime error: invalid memory address or nil pointer dereference",
  ],
  [
    "Go in a deadlock",
    "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/app/main.go:5 +0x2d\nexit status 2\n",
    "fatal error: all goroutines are asleep - deadlock!",
  ],
  [
    "Go's log.Fatal",
    "2026/11/28 10:00:00 reading levels\n2026/11/28 10:00:01 open levels.csv: no such file or directory\nexit status 1\n",
    "2026/11/28 10:00:01 open levels.csv: no such file or directory",
  ],
  [
    "Rust that panics",
    `
thread 'main' (2527) panicked at src/main.rs:1:37:
called \`Result::unwrap()\` on an \`Err\` value: ParseIntError { kind: InvalidDigit }
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa/library/std/src/panicking.rs:689:5
   3: tides::main
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
    "called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }",
  ],
  [
    "Rust's main with an error and its causes",
    "Error: failed to read the levels\n\nCaused by:\n    0: open levels.csv\n    1: No such file or directory (os error 2)\n",
    "Error: failed to read the levels",
  ],
  [
    "Rust's compiler",
    `error[E0308]: mismatched types
 --> src/main.rs:1:25
  |
1 | fn main(){ let v: i32 = "x"; }
  |                   ---   ^^^ expected \`i32\`, found \`&str\`

error: aborting due to 1 previous error

For more information about this error, try \`rustc --explain E0308\`.`,
    "error[E0308]: mismatched types",
  ],
  [
    "Java with a cause",
    `Exception in thread "main" java.lang.IllegalStateException: the tide table is broken
	at M.main(M.java:1)
Caused by: java.lang.NumberFormatException: For input string: "x"
	at java.base/java.lang.Integer.parseInt(Integer.java:668)
	... 11 more`,
    'Exception in thread "main" java.lang.IllegalStateException: the tide table is broken',
  ],
  [
    "Java of which only the cause is left",
    'Caused by: java.lang.NumberFormatException: For input string: "x"\n\tat java.base/java.lang.Integer.parseInt(Integer.java:668)\n',
    'Caused by: java.lang.NumberFormatException: For input string: "x"',
  ],
  [
    "Java without its class",
    "Error: Could not find or load main class Nope\nCaused by: java.lang.ClassNotFoundException: Nope\n",
    "Error: Could not find or load main class Nope",
  ],
  [
    "a shell without a command",
    "+ frobnicate --all\nb.sh: line 1: frobnicate: command not found\n",
    "b.sh: line 1: frobnicate: command not found",
  ],
  [
    "a shell that cannot parse",
    'sh: 1: Syntax error: end of file unexpected (expecting "then")\n',
    'sh: 1: Syntax error: end of file unexpected (expecting "then")',
  ],
  [
    "a shell with a trace after the message",
    "no tide table for Brest\n+ exit 3\n",
    "no tide table for Brest",
  ],
  [
    "git",
    "checking out\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
    "fatal: Could not read from remote repository.",
  ],
  [
    "curl",
    "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server\n",
    "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server",
  ],
  [
    "gcc below make",
    "x.c: In function 'main':\nx.c:1:20: error: 'x' undeclared (first use in this function)\n    1 | int main(){ return x; }\n      |                    ^\nx.c:1:20: note: each undeclared identifier is reported only once\nmake: *** [Makefile:2: all] Error 1\n",
    "x.c:1:20: error: 'x' undeclared (first use in this function)",
  ],
  [
    "npm",
    "npm error code ENOTCACHED\nnpm error request to https://registry.example/tides failed: cache mode is 'only-if-cached'.\nnpm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log\n",
    "npm error request to https://registry.example/tides failed: cache mode is 'only-if-cached'.",
  ],
  ["Perl", "no tide at -e line 1.\n", "no tide at -e line 1."],
  [
    "Ruby",
    "tides.rb:2:in 'read': no tide table (RuntimeError)\n\tfrom tides.rb:5:in '<main>'\n",
    "tides.rb:2:in 'read': no tide table (RuntimeError)",
  ],
  [
    "claude without a prompt",
    "Error: Input must be provided either through stdin or as a prompt argument when using --print\n",
    "Error: Input must be provided either through stdin or as a prompt argument when using --print",
  ],
  [
    "claude with a bad option",
    "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are acceptEdits, plan.\n",
    "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are acceptEdits, plan.",
  ],
  [
    "codex with a bad option",
    "error: unexpected argument '--frobnicate' found\n\n  tip: to pass '--frobnicate' as a value, use '-- --frobnicate'\n\nUsage: codex exec [OPTIONS] [PROMPT]\n       codex exec [OPTIONS] <COMMAND> [ARGS]\n\nFor more information, try '--help'.\n",
    "error: unexpected argument '--frobnicate' found",
  ],
  [
    "codex with its log in colour",
    "Reading prompt from stdin...\n\u001b[2m2026-11-28T10:00:01.123456Z\u001b[0m \u001b[31mERROR\u001b[0m \u001b[2mcodex_core::session\u001b[0m: unexpected status 401 Unauthorized\nReading additional input from stdin...\n",
    "2026-11-28T10:00:01.123456Z ERROR codex_core::session: unexpected status 401 Unauthorized",
  ],
  [
    "opencode without the model",
    'ProviderModelNotFoundError: ProviderModelNotFoundError\n data: {\n  providerID: "scripted",\n  modelID: "nope",\n  suggestions: [],\n},\n\n      at getModel (/$bunfs/root/src/index.js:92:11)\n      at processTicksAndRejections (native:7:39)\n',
    "ProviderModelNotFoundError: ProviderModelNotFoundError",
  ],
  [
    "opencode in colour",
    "\u001b[91m\u001b[1mError: \u001b[0mUnexpected error, check log file at /home/a/.local/share/opencode/log/x.log for more details\n",
    "Error: Unexpected error, check log file at /home/a/.local/share/opencode/log/x.log for more details",
  ],
  [
    "opencode with an error as JSON",
    '\u001b[91m\u001b[1mError: \u001b[0m{\n  "name": "UnknownError",\n  "data": {\n    "message": "Unexpected server error. Check server logs for details.",\n    "ref": "err_23f41260"\n  }\n}\n',
    "Error: Unexpected server error. Check server logs for details.",
  ],
  [
    "codex outside of a repository",
    "Reading additional input from stdin...\nNot inside a trusted directory and --skip-git-repo-check was not specified.\n",
    "Not inside a trusted directory and --skip-git-repo-check was not specified.",
  ],
  [
    "a message below its title",
    "Error:\n    the disk is full\n    at write (x.js:1:1)\n",
    "Error: the disk is full",
  ],
  ["two errors", "Error: try 1 failed\nError: the disk is full\n", "Error: the disk is full"],
  ["nothing but a stack", "    at read (x.js:1:1)\n    at main (x.js:9:1)\n", "at main (x.js:9:1)"],
  ["a progress bar", "10 %\r50 %\rfetch failed\n", "fetch failed"],
  ["nothing", " \n\n", ""],
];

describe("The reason of a failed run", () => {
  it.each(tails)("is the line that says what went wrong: %s", (_program, output, reason) => {
    expect(failureReason(output)).toBe(reason);
  });

  it("is one line of at most 1,000 characters, and found quickly in hostile output", () => {
    const hostile = [
      `${"a ".repeat(2048)}:`,
      `${"(".repeat(4096)}`,
      `${"a.".repeat(2048)}Error`,
      "-".repeat(4096),
    ];
    for (const output of hostile) {
      const reason = failureReason(output);
      expect(reason.length).toBeLessThanOrEqual(1000);
      expect(reason).not.toMatch(/\n/);
    }
  });
});
