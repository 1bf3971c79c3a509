import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { times } from "../support/sample.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** A browser has six connections to a service, for all of its tabs. */
describe.skipIf(chromiumPath === null)("Many tabs of one browser", () => {
  let board: Board;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "boardroom-tabs-"));
    board = await startBoard({ role: "all" });
  });
  afterAll(async () => {
    await board?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The tabs that hold a stream of events now. */
  const followers = (context: BrowserContext) => {
    const open = new Set<Page>();
    context.on("request", (request) => {
      if (request.url().includes("/api/events")) open.add(request.frame().page());
    });
    const onEnd = (request: Request) => {
      if (request.url().includes("/api/events")) open.delete(request.frame().page());
    };
    context.on("requestfailed", onEnd);
    context.on("requestfinished", onEnd);
    return open;
  };

  it("load at once, share one stream, and hear of what happens, whichever is closed", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Twenty Tabs" });
    await admin.issues.create({ companyId, title: "Weigh anchor" });
    const { page, context, at, close, expectClean } = await board.open();
    // From before the first stream on.
    const open = followers(context);
    await context.request.post("/api/session", {
      headers: { authorization: `Bearer ${board.service.token}` },
    });
    await page.goto(at(`/${issuePrefix}/issues`));
    const others = await Promise.all(Array.from({ length: times(6, 19) }, () => context.newPage()));
    const tabs = [page, ...others];
    await Promise.all(others.map((tab) => tab.goto(at(`/${issuePrefix}/issues`))));
    await Promise.all(tabs.map((tab) => tab.getByRole("link", { name: "Weigh anchor" }).waitFor()));
    await Promise.all(tabs.map((tab) => tab.locator(".live-mark.live").waitFor()));
    await expect.poll(() => open.size).toBe(1);
    await admin.issues.create({ companyId, title: "Set the sails" });
    await Promise.all(tabs.map((tab) => tab.getByRole("link", { name: "Set the sails" }).waitFor()));
    const [leader] = open;
    await leader!.close();
    await expect.poll(() => open.size).toBe(1);
    const left = tabs.filter((tab) => tab !== leader);
    await admin.issues.create({ companyId, title: "Hold the course" });
    await Promise.all(left.map((tab) => tab.getByRole("link", { name: "Hold the course" }).waitFor()));
    expectClean();
    await close();
  });

  it("follow the logs of the runs that they show side by side", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Two Windows" });
    const begin = async (name: string) => {
      const { id: agentId } = await admin.agents.create({
        companyId,
        name,
        adapterType: "process",
        adapterConfig: {
          command: "/bin/sh",
          args: ["-c", `echo begun; tail -n +1 -f '${join(folder, name)}'`],
        },
      });
      await writeFile(join(folder, name), "first line\n");
      const { id: runId } = await admin.agents.invoke({ agentId });
      return runId!;
    };
    const [one, other] = [await begin("Ada"), await begin("Grace")];
    const { page, context, at, close, expectClean } = await board.signedIn(`/${issuePrefix}/runs/${one}`);
    await page.getByText("first line").waitFor();
    const second = await context.newPage();
    await second.goto(at(`/${issuePrefix}/runs/${other}`));
    await second.getByText("first line").waitFor();
    const open = followers(context);
    await writeFile(join(folder, "Ada"), "second line of Ada\n", { flag: "a" });
    await writeFile(join(folder, "Grace"), "second line of Grace\n", { flag: "a" });
    await page.getByText("second line of Ada").waitFor();
    await second.getByText("second line of Grace").waitFor();
    expect(open.size).toBeLessThanOrEqual(1);
    for (const runId of [one, other]) await admin.runs.cancel({ runId });
    expectClean();
    await close();
  });
});
