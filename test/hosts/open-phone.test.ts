import pc from "picocolors";
import { afterEach, expect, test } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { modulesOfBlocks, readQrCode } from "../support/read-qr-code.ts";
import { stubService } from "../support/stub-service.ts";

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups) await cleanup();
  cleanups = [];
});

/** Runs the command against a service with that address. */
const openPhone = async (address: string) => {
  const link = { url: `${address}/#code=${"N3mJ8ePp".repeat(5)}abc`, expiresAt: "2027-01-01T00:00:00.000Z" };
  const stub = await stubService(() => ({ status: 201, json: link }));
  cleanups.push(stub.close);
  let [out, err] = ["", ""];
  const exitCode = await cli(["open", "--phone"], {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stdin: async () => "",
    env: { SERVICE_API_URL: stub.url, SERVICE_API_KEY: "brd_test" },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { exitCode, out, err, link };
};

test("open --phone shows a QR code of the link, which a camera reads", async () => {
  const { exitCode, out, link } = await openPhone("https://board.example");
  expect(exitCode).toBe(0);
  expect(readQrCode(modulesOfBlocks(out))).toBe(link.url);
  for (const line of out.split("\n").filter((each) => each.includes("█")))
    expect(line.length).toBeLessThan(80);
  expect(out).toContain("within two minutes");
});

test("open --phone says what to do where the service has no https address", async () => {
  const { exitCode, out, err } = await openPhone("http://127.0.0.1:3100");
  expect(exitCode).toBe(2);
  expect(out).toBe("");
  expect(err).toContain("SERVICE_PUBLIC_URL");
  expect(err).not.toContain("code=");
});
