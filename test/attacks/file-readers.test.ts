import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/imports.ts";
import { areas } from "./attempts/index.ts";

/** Why no agent can write there, or the attempts on it. A path of an agent is read by a program of the agent. */
type Reason =
  | { readonly because: string }
  | { readonly attempts: readonly `${keyof typeof areas}/${string}`[] };

const ofSystem = {
  because: "the kernel's files: their names are the service's, their texts numbers and flags",
};
const ofService = { because: "files of the service in folders that no agent may enter" };
const ofAdmin = { because: "an instance admin names the folder, and agents may write to none of its own" };
const ofBackup = {
  because: "a person of the machine names the backup and its folder; the rest is the service's own",
};
const ofTemplate = {
  because: "a person of the machine names the folder, or it is the package's; links are refused",
};
const ofAuthor = { because: "the checks of a package's author, in the author's own process" };

/** Every file of the service that opens, lists, changes or looks at files, with what they are. */
const readers: Readonly<Record<string, Reason>> = {
  "adapters-infra/backup/agent-trees.ts": { attempts: ["agent-files/swapped-folder-backed-up"] },
  "adapters-infra/backup/read-backup.ts": ofBackup,
  "adapters-infra/backup/write-agent-tree.ts": { attempts: ["agent-files/links-in-a-backup"] },
  "adapters-infra/backup/write-whole-file.ts": ofBackup,
  "adapters-infra/docker/forward-rules.ts": ofSystem,
  "adapters-infra/git/host-calls.ts": { because: "asks how much of the service's disk is free" },
  "adapters-infra/git/push-check.ts": ofService,
  "adapters-infra/git/store-upkeep.ts": {
    because: "folders of the service; git itself reads and writes below them, enclosed, as a user of its own",
  },
  "adapters-infra/kubernetes/kubeconfig.ts": { because: "the operator's configuration" },
  "adapters-infra/local/agent-access.ts": {
    because: "sets modes of the data directory and its own folders, which belong to the service",
  },
  "adapters-infra/local/agent-users.ts": { because: "asks who owns the HOME of the service's environment" },
  "adapters-infra/local/agent-workspaces.ts": {
    attempts: ["agent-files/swapped-folder-removed"],
  },
  "adapters-infra/local/create-file-once.ts": ofService,
  "adapters-infra/local/data-directory.ts": ofService,
  "adapters-infra/local/disk-blob-store.ts": ofService,
  "adapters-infra/local/bounded-output.ts": ofSystem,
  "adapters-infra/local/disk-watch.ts": {
    because:
      "programs of the system with a time limit look at the folders; of deleted files only links of /proc are read here",
  },
  "adapters-infra/local/end-process.ts": ofSystem,
  "adapters-infra/local/exclusive-lock.ts": ofService,
  "adapters-infra/local/find-command.ts": {
    because: "looks for the program of a run by stat, and opens nothing",
  },
  "adapters-infra/local/free-disk.ts": { because: "asks how much of the service's disk is free" },
  "adapters-infra/local/group-root.ts": ofSystem,
  "adapters-infra/local/hidden-names.ts": {
    because: "reads the first line of a command, unless the run may write it",
  },
  "adapters-infra/local/inheritable-descriptors.ts": ofSystem,
  "adapters-infra/local/issue-workspaces.ts": {
    because:
      "asks whether a folder is there that is in one of the service's own, renames the one around it, and deletes in the trash, which only the service reaches",
  },
  "adapters-infra/local/lay-out-files.ts": { attempts: ["agent-files/laid-out-files"] },
  "adapters-infra/local/supervisor-connection.ts": ofService,
  "adapters-infra/local/orphaned-folders.ts": {
    because: "the service's own folders in the temporary folder, of which it follows no link",
  },
  "adapters-infra/local/limits-met.ts": ofSystem,
  "adapters-infra/local/lowest-priority.ts": ofSystem,
  "adapters-infra/local/master-key.ts": ofService,
  "adapters-infra/local/own-folder.ts": { attempts: ["agent-files/swapped-folder-given"] },
  "adapters-infra/local/process-memory.ts": ofSystem,
  "adapters-infra/local/process-table.ts": ofSystem,
  "adapters-infra/local/program-supervisor.ts": ofService,
  "adapters-infra/local/program-streams.ts": {
    because:
      "pipes of the service in a folder of its own; an agent may open its run's, and the service waits for none of them",
  },
  "adapters-infra/local/run-groups.ts": ofSystem,
  "adapters-infra/local/shared-memory.ts": {
    because: "/proc; paths of a run are looked at by programs with a time limit, which open no file",
  },
  "adapters-infra/local/skill-catalogue.ts": {
    because: "the catalogue belongs to the service; agents may only read it",
  },
  "adapters-infra/local/start-process.ts": {
    because: "looks at the working directory by stat, and opens the file of a control group",
  },
  "adapters-infra/local/unseen-sign-ins.ts": {
    because:
      "asks what is there in the home of the service's own user, which agents do not see, and opens nothing",
  },
  "adapters-infra/local/user-claims.ts": ofService,
  "adapters-infra/local/volume-holders.ts": ofService,
  "adapters-infra/local/volume.ts": {
    because: "the id of `workspaces` and `homes`, which belong to the service; agents have folders below",
  },
  "adapters-infra/plugins/adapter-folder.ts": ofAdmin,
  "adapters-infra/plugins/adapter-host-program.ts": {
    because: "runs as the agents' user, in their sandbox: the program of an external adapter",
  },
  "adapters-infra/plugins/adapter-host.ts": {
    because: "resolves the folder of a package, and opens nothing",
  },
  "adapters-infra/plugins/adapter-packages.ts": ofAdmin,
  "adapters-infra/plugins/ui-parser-sandbox.ts": ofSystem,
  "adapters-infra/plugins/npm-install.ts": ofAdmin,
  "adapters-infra/plugins/package-contents.ts": ofAdmin,
  "adapters-infra/plugins/plugin-loader.ts": { because: "the packages of the service's own installation" },
  "adapters-infra/plugins/plugin-manifest.ts": ofAdmin,
  "adapters-infra/plugins/read-ui-parser.ts": ofAdmin,
  "adapters-infra/plugins/registry-file.ts": ofService,
  "adapters-infra/postgres/database-url.ts": { because: "the operator's certificates and password file" },
  "adapters-infra/postgres/dial.ts": { because: "the operator's certificates" },
  "adapters-infra/postgres/embedded-binaries.ts": ofService,
  "adapters-infra/postgres/free-port.ts": ofSystem,
  "adapters-infra/postgres/migrate.ts": { because: "the migrations of the service's own installation" },
  "adapters-infra/postgres/server-account.ts": { because: "the users of the machine" },
  "adapters-infra/postgres/server-cluster.ts": ofService,
  "adapters-infra/postgres/server-leftover.ts": ofService,
  "adapters-infra/postgres/server-settings.ts": ofSystem,
  "adapters-infra/runner-helper/check-engine.ts": {
    because: "a program for the engine, which runs there as the agents' user",
  },
  "adapters-infra/runner-helper/collect-files.ts": {
    because:
      "skills and files that every user of the machine may read, up to a size, opened without waiting and without links",
  },
  "adapters-infra/runner-helper/helper.ts": {
    because: "the process 1 of a pod or container, as the agents' user",
  },
  "adapters-infra/runner-helper/handover-files.ts": ofService,
  "adapters-infra/postgres/running-server.ts": ofService,
  "adapters-infra/runner-helper/metadata-routes.ts": ofSystem,
  "adapters-infra/sandbox/bubblewrap.ts": {
    because: "resolves the paths that a program sees, and opens nothing",
  },
  "adapters-infra/sandbox/detect.ts": { because: "programs and users of the machine" },
  "adapters-infra/sandbox/firewall.ts": { because: "programs of the machine" },
  "adapters-infra/sandbox/path-rules.ts": { because: "resolves paths of settings, and opens nothing" },
  "adapters-infra/sandbox/program-view.ts": {
    because: "resolves the paths that a program sees by descriptors that read nothing and wait for nothing",
  },
  "adapters-infra/secret-providers/local-encrypted.ts": ofService,
  "adapters-infra/secret-providers/vault-session.ts": {
    because: "the token of the pod, which the operator names",
  },
  "adapters-infra/secret-providers/vault-settings.ts": { because: "certificates that the operator names" },
  "adapters-infra/backup/backup-key.ts": ofBackup,
  "adapters-infra/backup/backup-before-migration.ts": ofService,
  "adapters-infra/backup/upgrade-cluster.ts": ofService,
  "adapters-infra/backup/make-backup.ts": ofBackup,
  "hosts/composition/wiring/open-backup-target.ts": ofBackup,
  "adapters-infra/backup/read-passphrase.ts": ofBackup,
  "adapters-infra/backup/restore-backup.ts": ofBackup,
  "adapters-infra/backup/restore-marker.ts": ofService,
  "adapters-infra/backup/roll-back.ts": ofService,
  "adapters-infra/backup/verify-backup.ts": ofBackup,
  "hosts/composition/wiring/installation.ts": ofService,
  "hosts/composition/board-token.ts": ofService,
  "hosts/composition/close-inherited.ts": ofSystem,
  "hosts/composition/data-dir.ts": { because: "the service's own installation" },
  "adapters-infra/postgres/open-installation.ts": ofService,
  "hosts/composition/secret-setting.ts": { because: "the files that the operator names as secrets" },
  "hosts/composition/wiring/open-docker.ts": { because: "the operator's certificates" },
  "hosts/composition/wiring/open-runners.ts": {
    because: "the operator's templates, in a folder that no agent may enter",
  },
  "hosts/composition/wiring/opened-runner.ts": { because: "the service's own installation" },
  "adapters-infra/template-folder/read-folder.ts": ofTemplate,
  "adapters-infra/template-folder/shipped-templates.ts": ofTemplate,
  "adapters-infra/template-folder/write-folder.ts": ofTemplate,
  "hosts/http/main.ts": ofService,
  "hosts/http/pages.ts": { because: "the service's own installation" },
  "hosts/http/start-link.ts": ofService,
  "hosts/library/index.ts": ofService,
  "plugins/kit/conformance-answers.ts": ofAuthor,
  "plugins/kit/conformance.ts": ofAuthor,
  "plugins/kit/find-command.ts": { because: "looks for the program of a run by stat, and opens nothing" },
};

/** The page runs in browsers, and the command line as the person who types. */
const elsewhere = /^hosts\/(?:web|cli)\//;

const importers = ["adapters-infra", "core", "hosts", "plugins", "ports"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.tsx?$/.test(path) && !path.includes("/node_modules/") && !elsewhere.test(path))
  .filter((path) => /["'](?:node:)?fs(?:\/promises)?["']/.test(readFileSync(join(root, path), "utf8")))
  .sort();

describe("a file of the service that uses the file system", () => {
  it("is in the table, with what it opens and why no agent can write there, or the attempts on it", () => {
    expect(importers).toEqual(Object.keys(readers).sort());
  });

  it("names attempts that are carried out", () => {
    const known = Object.entries(areas).flatMap(([area, { attempts }]) =>
      attempts.map(({ id }) => `${area}/${id}`),
    );
    const named = Object.values(readers).flatMap((reason) => ("attempts" in reason ? reason.attempts : []));
    expect(named.filter((row) => !known.includes(row))).toEqual([]);
  });
});
