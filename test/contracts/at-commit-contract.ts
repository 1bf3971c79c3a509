import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { runAtCommit } from "../../core/code/workspaces/run-at-commit.ts";
import type { WorkspaceId } from "../../core/model/shared/ids.ts";
import { markOf } from "../../core/model/workspaces/issue-workspace.ts";
import { outcomeOf } from "../support/code-stores.ts";
import { stepIn, type TestedTrees } from "./issue-trees-contract.ts";

/** The workspaces of commands at commits that are there. */
export type TemporaryFolders = () => readonly string[] | Promise<readonly string[]>;

const token = "checkout-t0ken";

/** The promises of commands at commits, such as those of gates, on every runner. */
export const atCommitContract = (tested: () => TestedTrees, temporary: TemporaryFolders) => {
  const runAt = async (
    command: string,
    { timeoutSec = 60, id = randomUUID() as string, runner = "theirs" } = {},
  ) => {
    let printed = "";
    const { at, trees } = tested();
    const { hosted, host, stores, server } = at;
    const { repositoryId, companyId } = hosted;
    const run = runAtCommit({
      codeStores: stores,
      ids: uuidIds,
      credentials: { mintCheckoutToken: () => Effect.succeed(token) },
      issueWorkspacesOf: (name) => (name === "theirs" ? trees : null),
      apiUrl: () => server.origin,
    });
    const outcome = await outcomeOf(
      run({
        id,
        companyId,
        runner,
        clones: [{ repositoryId, directory: "apps/one", commit: host.first }],
        command,
        timeoutSec,
        stop: new AbortController().signal,
        onOutput: (text) =>
          Effect.sync(() => {
            printed += text;
          }),
      }),
    );
    return { outcome, printed };
  };

  describe("A command at a commit", () => {
    it("runs there, in a workspace that is discarded, without a credential", async () => {
      const before = await temporary();
      const { outcome, printed } = await runAt(
        `cd apps/one; ls; git rev-parse HEAD; git status --porcelain; env | grep -ci -e token -e bearer; grep -rqs ${token} . "$HOME" && echo found; echo no >&2`,
      );
      expect(printed).toBe(`a.txt\nb.txt\n${tested().at.host.first}\n0\nno\n`);
      expect(outcome).toMatchObject({ exitCode: 0, problem: null, durationMs: expect.any(Number) });
      expect(await temporary()).toEqual(before);
    });

    it.each([
      ["that fails", "echo é; exit 3", 60, { exitCode: 3, problem: "the program ended with 3." }],
      ["without an end", "sleep 600", 1, { exitCode: null, problem: "it took longer than its time limit." }],
      ["that is no command", "(", 60, { exitCode: 2 }],
    ])("%s has that outcome, and leaves nothing", async (_, command, timeoutSec, outcome) => {
      const before = await temporary();
      expect((await runAt(command, { timeoutSec })).outcome).toMatchObject(outcome);
      expect(await temporary()).toEqual(before);
    });

    it("ends what a killed service has left of it before it runs again", async () => {
      const { trees, at } = tested();
      const id = randomUUID();
      const folder = {
        companyId: at.hosted.companyId,
        id: randomUUID() as WorkspaceId,
        isTemporary: true,
      };
      const workspace = await Effect.runPromise(trees.open(null, folder, []));
      let resolveBegun = () => {};
      const begun = new Promise<void>((resolve) => {
        resolveBegun = resolve;
      });
      const left = outcomeOf(
        trees.command(
          { ...stepIn(workspace), runId: markOf(id), onOutput: () => Effect.sync(resolveBegun) },
          { command: "echo begun; exec sleep 600", directory: null, timeoutSec: 600 },
        ),
      );
      await begun;
      expect((await runAt("true", { id })).outcome).toMatchObject({ exitCode: 0 });
      expect(await left).toMatchObject({ exitCode: null });
      await Effect.runPromise(trees.discard(folder));
    });

    it("does not run elsewhere where this service lacks the runner", async () => {
      expect((await runAt("true", { runner: "gone" })).outcome).toMatchObject({
        message: "This service has no runner gone with issue workspaces.",
      });
    });
  });
};
