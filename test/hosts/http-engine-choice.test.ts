import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { listen } from "../../hosts/http/hyper-express-listener.ts";
import { EngineUnavailable } from "../../hosts/http/listener.ts";

const require = createRequire(import.meta.url);

describe("the choice of the HTTP engine", () => {
  beforeEach(() => {
    vi.unstubAllEnvs();
  });

  test("a native engine that is not installed is refused in one sentence with a hint", async () => {
    vi.stubEnv("SERVICE_HTTP_ENGINE", "native");
    vi.stubEnv("SERVICE_HTTP_ENGINE_PATH", "/nowhere");
    const refused = listen({ host: "127.0.0.1", port: 0, handle: () => Promise.reject() });
    await expect(refused).rejects.toThrow(EngineUnavailable);
    await expect(refused).rejects.toThrow(
      /no uws_.*\.node was found in \/nowhere; install one \(npm install .*\)/,
    );
  });

  test("a native engine that does not load here is refused, and named", () => {
    const addon = join(mkdtempSync(join(tmpdir(), "engine-")), "broken.node");
    writeFileSync(addon, "not an addon");
    vi.stubEnv("SERVICE_HTTP_ENGINE", "native");
    vi.stubEnv("SERVICE_HTTP_ENGINE_PATH", addon);
    expect(() => require("../../hosts/http/engine/index.js")).toThrow(`${addon} was found and does not load`);
  });

  test("an unknown engine is refused", () => {
    vi.stubEnv("SERVICE_HTTP_ENGINE", "apache");
    expect(() => require("../../hosts/http/engine/index.js")).toThrow(
      'can be "node" (the default) or "native"',
    );
  });

  test("by default our own engine is used", () => {
    vi.stubEnv("SERVICE_HTTP_ENGINE", "");
    expect(require("../../hosts/http/engine/index.js").App({})).toHaveProperty("gone");
  });
});
