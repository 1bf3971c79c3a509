import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { expect, test } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";

test("boardroom demo, without a running service, shows an agent finish an issue and leaves nothing behind", async () => {
  const home = await mkdtemp(join(tmpdir(), "boardroom-demo-test-"));
  let out = "";
  let err = "";
  try {
    const exitCode = await cli(["demo"], {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      stdin: async () => "",
      env: {
        PATH: process.env.PATH,
        TMPDIR: home,
        SERVICE_DATA_DIR: join(home, "none"),
      },
      width: null,
      colors: pc.createColors(false),
      now: () => new Date(),
    });
    expect({ exitCode, err: err.replace(/^No service running.*\n/, "") }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain("Issue DEM-1, assigned to Counter");
    expect(out).toContain("I have checked it out");
    expect(out).toMatch(/The run succeeded after [0-9.]+s\./);
    expect(out).toContain("The description has 12 words");
    expect(await readdir(home)).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
