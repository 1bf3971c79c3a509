import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../hosts/composition/config.ts";
import { openPathRules } from "../../hosts/composition/wiring/sandbox.ts";
import { temporaryFolder } from "../support/external-adapter.ts";

const dataDir = join(temporaryFolder(), "data");
const rulesFor = (paths: string, more: Readonly<Record<string, string>> = {}) =>
  openPathRules(readConfig({ SERVICE_DATA_DIR: dataDir, SERVICE_AGENT_PATHS: paths, ...more }));

it("SERVICE_AGENT_PATHS lists paths that agents read, or write where :rw says so", () => {
  const { listed } = rulesFor("/srv/tools, /srv/project/:rw,/srv/./notes:ro", {
    SERVICE_SANDBOX_PATHS: "/srv/old",
  });
  expect(listed).toEqual([
    { path: "/srv/tools", real: "/srv/tools", access: "read" },
    { path: "/srv/project", real: "/srv/project", access: "write" },
    { path: "/srv/notes", real: "/srv/notes", access: "read" },
    { path: "/srv/old", real: "/srv/old", access: "read" },
  ]);
});

it.each([
  ["tools", "must be absolute paths"],
  ["/srv/project:rw,/srv/project/tools", "must not list a path below one with :rw"],
  ["/", "is the whole machine"],
  ["/srv/..", "is the whole machine"],
  ["/proc", "belongs to the machine's kernel"],
  ["/run/docker.sock", "belongs to the machine's kernel"],
  ["/tmp", "temporary files of the whole machine"],
  [join(dataDir, "blobs"), "lies in the data directory"],
  [`${dataDir}:rw`, "lies in the data directory"],
])("SERVICE_AGENT_PATHS=%s is refused", (paths, sentence) => {
  expect(() => rulesFor(paths)).toThrow(sentence);
});
