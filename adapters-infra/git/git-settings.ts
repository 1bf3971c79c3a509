import type { Author } from "../../core/model/repositories/authorship.ts";

/** A setting of git with its value. */
export type GitSetting = readonly [name: string, value: string];

/**
 * Holds for every call: nothing starts a program, reaches out or changes what is shown. The configuration files of the
 * machine and of the user are not read (`gitEnvironment`), so that these and the store's own are all.
 */
const always: readonly GitSetting[] = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.sshCommand", "/bin/false"],
  ["core.askPass", "/bin/false"],
  ["core.gitProxy", ""],
  ["core.pager", "cat"],
  ["core.editor", "/bin/false"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.logAllRefUpdates", "false"],
  ["core.bigFileThreshold", "5m"],
  ["core.packedGitLimit", "256m"],
  ["core.packedGitWindowSize", "16m"],
  ["core.fsync", "committed,reference"],
  ["credential.helper", ""],
  ["credential.useHttpPath", "true"],
  ["transfer.credentialsInUrl", "die"],
  ["transfer.fsckObjects", "true"],
  ["fetch.fsckObjects", "true"],
  ["receive.fsckObjects", "true"],
  ["protocol.allow", "never"],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "30"],
  ["http.proxy", ""],
  ["diff.external", ""],
  ["diff.ignoreSubmodules", "all"],
  ["diff.submodule", "short"],
  ["log.showSignature", "false"],
  ["commit.gpgSign", "false"],
  ["gpg.program", "/bin/false"],
  ["gpg.ssh.program", "/bin/false"],
  ["gpg.x509.program", "/bin/false"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["push.recurseSubmodules", "no"],
  ["push.gpgSign", "false"],
  ["merge.renormalize", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["receive.autogc", "false"],
];

/** All that a push of a run must keep to. */
export const receiving = (maxBytes: number): readonly GitSetting[] => [
  ["receive.maxInputSize", String(maxBytes)],
  ["receive.denyDeletes", "true"],
  // A run may rewrite its own branch; the host's branches are in the other store.
  ["receive.denyNonFastForwards", "false"],
  ["receive.advertisePushOptions", "false"],
  ["receive.unpackLimit", "100"],
];

/** The whole environment of git. Credentials are in it as settings, never in an argument. */
export const gitEnvironment = (settings: readonly GitSetting[]): Readonly<Record<string, string>> => {
  const all = [...always, ...settings];
  return {
    PATH: "/usr/bin:/bin",
    HOME: "/nonexistent",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "/bin/false",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
};

/** The environment of a commit that the service makes. */
export const authorship = ({ name, email }: Author): Readonly<Record<string, string>> => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});
