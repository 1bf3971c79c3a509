import { randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MaskedStream } from "../../core/model/runs/masking/masked-stream.ts";
import { Masking } from "../../core/model/runs/masking/masking.ts";
import { maskedLog } from "../../core/runs/masking/masked-log.ts";
import type { RunLogWriter } from "../../ports/run-log.ts";

const mask = "••••";
const value = 'pa$$ "wörd"/with+odd&chars\n=1';

/** As of a pipe, whose reader uses the memory of a chunk again for the next. */
const through = (stream: MaskedStream, chunks: readonly string[]): string => {
  const memory = Buffer.alloc(Math.max(0, ...chunks.map((chunk) => Buffer.byteLength(chunk))));
  const passed = chunks.map((chunk) => Buffer.from(stream.push(memory.subarray(0, memory.write(chunk)))));
  return Buffer.concat([...passed, stream.end()]).toString("utf8");
};

describe("a value that a run was given is masked in its output", () => {
  const masking = new Masking([value]);

  it.each([
    ["as it is", value],
    ["as JSON writes it", JSON.stringify({ value })],
    ["as JSON in JSON", JSON.stringify({ line: JSON.stringify({ value }) })],
    ["as JSON with escaped letters", JSON.stringify(value).replaceAll("ö", "\\u00f6")],
    ["percent-encoded", encodeURIComponent(value)],
    [
      "percent-encoded in small letters",
      encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ["as a form writes it", new URLSearchParams({ value }).toString()],
  ])("%s", (_, output) => {
    const masked = masking.text(`<${output}>`);
    expect(masked).toContain(mask);
    expect(masked).not.toContain("odd");
  });

  it.each([0, 1, 2, 3, 4, 5])("in base64, %i bytes into the text", (before) => {
    for (const after of [0, 1, 2, 3]) {
      const clear = Buffer.from("x".repeat(before) + value + "y".repeat(after));
      for (const encoded of [clear.toString("base64"), clear.toString("base64url")]) {
        const masked = masking.text(encoded);
        expect(masked).toContain(mask);
        // The rest decodes to none of the value except the bits it shares with its neighbours.
        const left = masked.split(mask).map((part) => Buffer.from(part, "base64").toString("latin1"));
        expect(left.join("").includes("wör")).toBe(false);
        expect(masked.replace(mask, "").length).toBeLessThan(before * 2 + after * 2 + 10);
      }
    }
  });

  it.each(["hex", "upper hex"])("in %s", (form) => {
    const hex = Buffer.from(value).toString("hex");
    expect(masking.text(`<${form === "hex" ? hex : hex.toUpperCase()}>`)).toBe(`<${mask}>`);
  });

  describe("in base64 that is broken into lines", () => {
    const pem = `-----BEGIN KEY-----\n${randomBytes(600)
      .toString("base64")
      .replace(/.{64}/g, "$&\n")}\n-----END KEY-----\n`;
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    const breaks = {
      newline: "\n",
      "carriage return and newline": "\r\n",
      "newline and indentation": "\n    ",
      "a break of JSON": "\\n",
      "a long break of JSON": "\\r\\n",
      "a break of JSON in JSON": "\\\\n",
    };
    const cases = Object.entries(breaks).flatMap(([name, lineBreak]) =>
      [64, 76].map((width) => [width, name, lineBreak] as const),
    );

    it.each(cases)(
      "of %i, by %s, wherever it begins and however it is split over chunks",
      (width, _, lineBreak) => {
        const both = new Masking([pem, token]);
        for (const [one, befores] of [
          [pem, [0, 1, 2, 46, 100]],
          [token, Array.from({ length: 27 }, (_, n) => 3 * n + (n % 3))],
        ] as const)
          for (const before of befores) {
            const clear = Buffer.from(`${"x".repeat(before)}${one}${"y".repeat(9)}`);
            const wrapped = clear
              .toString("base64")
              .replace(new RegExp(`.{${width}}`, "g"), `$&${lineBreak}`);
            const output = Buffer.from(`key: ${wrapped}\nand so on\n`);
            const whole = both.text(output.toString());
            expect(whole).toContain(mask);
            // Nothing else decodes to six or more of its characters.
            const left = whole.replaceAll(lineBreak, "");
            for (const core of [0, 1, 2].map((at) => Buffer.from("x".repeat(at) + one).toString("base64")))
              for (let at = 4; at + 8 < core.length - 4; at++)
                expect(left.includes(core.slice(at, at + 8)), `${before}: ${whole}`).toBe(false);
            for (let at = before % 7; at < output.length; at += one === pem ? 331 : 11) {
              const stream = both.stream();
              const parts = [
                stream.push(output.subarray(0, at)),
                stream.push(output.subarray(at)),
                stream.end(),
              ];
              expect(Buffer.concat(parts).toString()).toBe(whole);
            }
            const bytewise = both.stream();
            const bytes = [...output].map((_, at) => bytewise.push(output.subarray(at, at + 1)));
            expect(Buffer.concat([...bytes, bytewise.end()]).toString()).toBe(whole);
          }
      },
    );

    it("as hexadecimal, too", () => {
      const wrapped = Buffer.from(token).toString("hex").replace(/.{60}/g, "$&\n");
      expect(new Masking([token]).text(wrapped)).toBe(mask);
    });

    it("and nothing else is: similar lines stay unchanged", () => {
      const innocent = randomBytes(5_000).toString("base64").replace(/.{76}/g, "$&\n");
      expect(new Masking([pem, token]).text(innocent)).toBe(innocent);
    });

    it("holds back at most the length of a value, whatever follows its beginning", () => {
      const core = Buffer.from(token).toString("base64").slice(0, 40);
      for (const filler of ["\\", " ", "\t", "\r"]) {
        const stream = new Masking([token]).stream();
        let passed = stream.push(
          Buffer.from(`${core}${filler === " " || filler === "\t" ? "\n" : ""}`),
        ).length;
        for (let n = 0; n < 50; n++) passed += stream.push(Buffer.from(filler.repeat(1_000))).length;
        expect(passed).toBeGreaterThan(49_000);
      }
    });
  });

  it("wherever it is split over chunks", () => {
    const output = `before ${value} between ${Buffer.from(value).toString("base64")} after`;
    const whole = masking.text(output);
    for (let at = 0; at <= output.length; at++)
      expect(through(masking.stream(), [output.slice(0, at), output.slice(at)])).toBe(whole);
    expect(through(masking.stream(), [...output])).toBe(whole);
    expect(whole).not.toContain("odd");
  });

  it("in names and values of results", () => {
    expect(masking.deep({ [value]: [value, { deep: `${value}!` }], n: 1, none: null })).toEqual({
      [mask]: [mask, { deep: `${mask}!` }],
      n: 1,
      none: null,
    });
  });
});

describe("a part of a value is masked wherever it stands alone", () => {
  const lines = randomBytes(200)
    .toString("base64")
    .match(/.{1,64}/g)!;
  const pem = ["-----BEGIN RSA PRIVATE KEY-----", ...lines, "-----END RSA PRIVATE KEY-----", ""].join("\n");
  const account = {
    type: "service_account",
    project_id: "harbour-works",
    private_key: pem,
    client_email: "robot@harbour-works.example",
    nested: { list: [{ password: "lighthouse" }, { region: "eu-central-1" }], apiKey: "k3y-0123456789" },
    token_uri: "https://oauth2.example/token",
    debug: "true",
    host: "localhost",
  };

  it.each<[string, (line: string, n: number) => string, string]>([
    ["indented", (line) => `    ${line}`, "\n"],
    ["numbered", (line, n) => `${String(n + 1).padStart(6)}\t${line}`, "\n"],
    ["with carriage returns", (line) => line, "\r\n"],
    ["joined", (line) => line, ""],
    ["joined by spaces", (line) => line, " "],
    ["in a list of Python", (line) => `'${line}'`, ", "],
    ["as a difference", (line) => `+${line}`, "\n"],
    ["with line breaks of JSON", (line) => line, "\\n"],
    ["in base64 of its own", (line) => Buffer.from(line).toString("base64"), "\n"],
  ])("lines of a key, %s, however they are split over chunks", (_, write, between) => {
    for (const secret of [pem, pem.replaceAll("\n", "\r\n"), JSON.stringify({ private_key: pem })]) {
      const masking = new Masking([secret]);
      const output = pem.trim().split("\n").map(write).join(between);
      const whole = masking.text(output);
      const fragments = lines.map(write).flatMap((line) => [line.slice(8, 30), line.slice(-30, -8)]);
      for (const part of fragments) if (part.length > 8) expect(whole).not.toContain(part);
      expect(whole).not.toContain(lines.at(-1)!);
      for (let at = 0; at < output.length; at += 7)
        expect(through(masking.stream(), [output.slice(0, at), output.slice(at)])).toBe(whole);
    }
  });

  it("but the frame of a key, and words that any output may contain, are not", () => {
    const masking = new Masking([
      pem,
      JSON.stringify(account),
      "HOST=localhost\nDEBUG=true\nREGION=eu-central-1\n",
    ]);
    for (const text of [
      "-----BEGIN RSA PRIVATE KEY-----",
      "-----END RSA PRIVATE KEY-----",
      "it is true that localhost listens in eu-central-1",
      "type: service_account, project harbour-works, POST https://oauth2.example/token",
    ])
      expect(masking.text(`${text} and so on`)).toBe(`${text} and so on`);
  });

  it("leaves of JSON and the values of assignments", () => {
    const masking = new Masking([
      JSON.stringify(account, null, 2),
      "# settings\nexport DB_PASSWORD='lanterns'\nSIGNATURE=\"9f8e7d6c\"\nuser: keeper\n  token: buoy-and-bell\n",
    ]);
    for (const secret of ["lighthouse", "k3y-0123456789", "lanterns", "9f8e7d6c", "buoy-and-bell"]) {
      expect(masking.text(`<${secret}>`)).toBe(`<${mask}>`);
      expect(masking.text(`Basic ${Buffer.from(`ada:${secret}`).toString("base64")}`)).toContain(mask);
    }
    expect(masking.text("user: keeper")).toBe("user: keeper");
  });

  it("and so is a value as Python or HTML writes it", () => {
    const odd = `a"b'c\\d\n<e>&é€😀\t\u0007f`;
    const masking = new Masking([odd]);
    for (const output of [
      String.raw`'a"b\'c\\d\n<e>&é€😀\t\x07f'`,
      String.raw`'a"b\'c\\d\n<e>&\xe9\u20ac\U0001f600\t\x07f'`,
      String.raw`b'a"b\'c\\d\n<e>&\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\t\x07f'`,
      "a&quot;b&#x27;c\\d\n&lt;e&gt;&amp;é€😀\t\u0007f",
      "a&#34;b&#39;c\\d\n&lt;e&gt;&amp;é€😀\t\u0007f",
      `a"b'c\\d\n&lt;e&gt;&amp;é€😀\t\u0007f`,
    ]) {
      expect(masking.text(output)).toContain(mask);
      expect(masking.text(output)).not.toContain("€");
      expect(masking.text(output)).not.toContain("20ac");
    }
  });

  it("for any key and any leaf: none is shown by a stream, however it is written and split", () => {
    const secret = fc.string({ unit: fc.constantFrom(..."abcXYZ0189+/"), minLength: 24, maxLength: 64 });
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 2, maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "", " ", "\n    ", "', '", "\\n"),
        fc.boolean(),
        fc.array(fc.nat(300), { maxLength: 6 }),
        (parts, between, asJson, cuts) => {
          const stored = asJson
            ? JSON.stringify(Object.fromEntries(parts.map((part, n) => [`field${n}`, part])))
            : ["-----BEGIN KEY-----", ...parts, "-----END KEY-----"].join("\n");
          const output = Buffer.from(parts.join(between));
          const masking = new Masking([stored]);
          const stream = masking.stream();
          const offsets = [
            0,
            ...cuts.map((cut) => Math.min(cut, output.length)).sort((a, b) => a - b),
            output.length,
          ];
          const chunks = offsets.slice(1).map((to, at) => stream.push(output.subarray(offsets[at], to)));
          const shown = Buffer.concat([...chunks, stream.end()]).toString();
          for (const part of parts) expect(shown).not.toContain(part);
          expect(shown).toBe(masking.text(output.toString()));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("masking", () => {
  it("leaves values with fewer than 6 characters alone", () => {
    expect(new Masking(["short", ""]).text("short circuit")).toBe("short circuit");
    expect(new Masking(["6chars"]).text("<6chars>")).toBe(`<${mask}>`);
  });

  it("masks all of several values that contain one another", () => {
    const masking = new Masking(["secret-one", "secret-one-and-more", "one-and-only"]);
    expect(masking.text("secret-one-and-more")).toBe(mask);
    expect(through(masking.stream(), ["secret-one", "-and-only", "!"])).toBe(`${mask}!`);
    expect(through(masking.stream(), ["secret-one", "-and", "!"])).toBe(`${mask}-and!`);
  });

  it("hides adjacent values behind one mask, wherever they are split", () => {
    const masking = new Masking(["secret-one", "another-secret"]);
    const output = "<secret-oneanother-secret>";
    for (let at = 0; at <= output.length; at++)
      expect(through(masking.stream(), [output.slice(0, at), output.slice(at)])).toBe(`<${mask}>`);
  });

  it("hides the rest of a value that the end has cut off, from its sixth byte on", () => {
    const token = "sk-0123456789-abcdefghij/klmno+pqrstuvwxyz-ABCDEFGHIJ";
    const forms = [token, encodeURIComponent(token), Buffer.from(token).toString("hex")];
    const broken = Buffer.from(token).toString("base64").replace(/.{40}/, "$&\n");
    for (const form of [...forms, broken])
      for (let length = 1; length < form.length - 4; length++) {
        const cut = form.slice(0, length);
        const left = length < 6 ? `said ${cut}` : `said ${mask}`;
        expect(new Masking([token]).text(`said ${cut}`)).toBe(left);
        expect(through(new Masking([token]).stream(), ["sai", "d ", ...cut])).toBe(left);
      }
  });

  it("passes text without values on unchanged and at once", () => {
    const stream = new Masking([value]).stream();
    const chunk = Buffer.from("nothing to see here\n");
    expect(stream.push(chunk)).toBe(chunk);
  });

  it("of a stream equals that of its text, however it is split, and never shows a value", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "é"), minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(letters, fc.string({ unit: fc.constantFrom("a", "b", "é", " "), maxLength: 5 })), {
          maxLength: 12,
        }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        (values, words, cuts) => {
          const masking = new Masking(values);
          const output = Buffer.from(words.join(""));
          const offsets = [
            0,
            ...cuts.map((cut) => Math.min(cut, output.length)).sort((a, b) => a - b),
            output.length,
          ];
          const chunks = offsets.slice(1).map((to, at) => output.subarray(offsets[at], to));
          const stream = masking.stream();
          const streamed = Buffer.concat([
            ...chunks.map((chunk) => stream.push(chunk)),
            stream.end(),
          ]).toString();
          expect(streamed).toBe(masking.text(output.toString()));
          for (const one of values) expect(streamed).not.toContain(one);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("of a stream with broken lines equals that of its text, however it is split", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 60 });
    const lineBreak = fc.constantFrom("\n", "\r\n", "\\n", "\\\\n", "\\r\\n", "\n  ", "\r", "\\", " ");
    const words = fc.array(
      fc.oneof(
        letters,
        lineBreak,
        fc.constantFrom(31, 32, 40, 64).map((length) => "ab".repeat(length / 2)),
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 3 }),
        words,
        fc.array(fc.nat(300), { maxLength: 12 }),
        (values, output, cuts) => {
          const bytes = Buffer.from(output.join(""));
          const masking = new Masking(values);
          const offsets = [
            0,
            ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
            bytes.length,
          ];
          const stream = masking.stream();
          const parts = offsets.slice(1).map((to, at) => stream.push(bytes.subarray(offsets[at], to)));
          expect(Buffer.concat([...parts, stream.end()]).toString()).toBe(masking.text(bytes.toString()));
        },
      ),
      {
        numRuns: 3_000,
        // The n of a JSON line break, cut from its backslash, is not a letter of the line.
        examples: [[["abaaaa"], ["ab".repeat(32), "\\\\n", "a".repeat(30), "b", "\n", "aaaaaa"], [71]]],
      },
    );
  });

  it("hides nothing before it gets the values, and at the end emits what it held back", async () => {
    const written: string[] = [];
    const log: RunLogWriter = {
      write: (stream, chunk) =>
        Effect.sync(() => {
          written.push(`${stream}:${typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()}`);
        }),
      tail: () => "",
      close: () => Effect.void,
    };
    const masked = maskedLog(log);
    masked.hide(["abcdef"]);
    await Effect.runPromise(masked.write("stdout", "1 abc"));
    await Effect.runPromise(masked.write("stderr", "def 2"));
    await Effect.runPromise(masked.write("stdout", "def 3 abcde"));
    await Effect.runPromise(masked.close());
    expect(written).toEqual(["stdout:1 ", "stderr:def 2", `stdout:${mask} 3 `, "stdout:abcde"]);
    expect(masked.masked({ summary: "abcdef" })).toEqual({ summary: mask });
  });

  it("hides a value that becomes known after its stream has begun", async () => {
    const written: string[] = [];
    const masked = maskedLog({
      write: (_, chunk) => Effect.sync(() => void written.push(Buffer.from(chunk as Uint8Array).toString())),
      tail: () => "",
      close: () => Effect.void,
    });
    masked.hide(["the-token-of-the-run"]);
    await Effect.runPromise(masked.write("system", "begun with the-tok"));
    masked.hide(["value-of-a-server"]);
    await Effect.runPromise(masked.write("system", "value-of-a-server, the-token-of-the-run\n"));
    await Effect.runPromise(masked.close());
    // The beginning of a value at the end counts as one that was cut.
    expect(written.join("")).toBe(`begun with ${mask}${mask}, ${mask}\n`);
  });

  it("hides a value, such as the run's token, also when more become known later", async () => {
    const masked = maskedLog({ write: () => Effect.void, tail: () => "", close: () => Effect.void });
    masked.hide(["the-token-of-the-run"]);
    masked.hide(["value-of-a-secret"]);
    masked.hide([]);
    expect(masked.masked("the-token-of-the-run, value-of-a-secret")).toBe(`${mask}, ${mask}`);
  });
});
