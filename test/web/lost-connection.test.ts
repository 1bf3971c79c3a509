import { connect, createServer, type Server, type Socket } from "node:net";
import type { Locator, Page, Response } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { holdRequests } from "./hold-requests.ts";

/** A network between browser and service, which can fail. */
class Network {
  readonly #sockets = new Set<Socket>();
  readonly #unanswered = new Set<Socket>();
  #dead = new WeakSet<Socket>();
  #server: Server | null = null;
  #isSilent = false;
  #port: number | null = null;
  readonly #to: number;

  constructor(to: number) {
    this.#to = to;
  }

  async up(): Promise<string> {
    const server = createServer((from) => {
      const to = connect(this.#to, "127.0.0.1");
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          this.#sockets.delete(one);
          this.#unanswered.delete(one);
          other.destroy();
        });
        one.on("data", (bytes) => {
          if (!this.#isSilent && !this.#dead.has(one)) other.write(bytes);
          else if (one === from) this.#unanswered.add(from);
        });
      }
    });
    const port = this.#port ?? (await freePort());
    this.#port = port;
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    this.#server = server;
    return `http://127.0.0.1:${port}`;
  }

  /** Connections stay, and new ones are made, but nothing arrives on them. */
  silent(): void {
    this.#isSilent = true;
  }

  /** New connections work; those of before stay silent. */
  heals(): void {
    this.#dead = new WeakSet(this.#sockets);
    this.#isSilent = false;
  }

  /** Whether the browser waits on a connection that stays silent. */
  isWaitedFor(): boolean {
    return this.#isSilent || this.#unanswered.size > 0;
  }

  /** No connection stays, and none is made. */
  async down(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

describe.skipIf(chromiumPath === null)("A lost connection", () => {
  let board: Board;
  let network: Network;
  let url: string;
  beforeAll(async () => {
    board = await startBoard();
    network = new Network(Number(new URL(board.service.url).port));
    url = await network.up();
  });
  afterAll(async () => {
    await network?.down();
    await board?.stop();
  });

  it("is shown on the page, which catches up by itself when it is back", async () => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Harbour Works" });
    await admin.issues.create({ companyId, title: "Mend the crane" });
    const { page, context, close } = await board.open();
    await context.request.post(`${url}/api/session`, {
      headers: { authorization: `Bearer ${board.service.token}` },
    });
    await page.goto(`${url}/${issuePrefix}/issues`);
    await page.getByRole("link", { name: "Mend the crane" }).waitFor();
    await page.locator(".live-mark.live").waitFor();
    for (const title of ["Paint the hull", "Order rope"]) {
      await network.down();
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      await admin.issues.create({ companyId, title });
      // The issues that were seen stay on the screen, also where they are to be read again and cannot be.
      await page.evaluate("dispatchEvent(new Event('online'))");
      expect(await page.getByRole("link", { name: "Mend the crane" }).isVisible()).toBe(true);
      await network.up();
      await page.getByRole("link", { name: title }).waitFor();
      await page.locator(".live-mark.live").waitFor();
      expect(await page.getByText("Connection lost").count()).toBe(0);
    }
    await close();
  });

  /** A signed-in page on a company's issues, through the network, with live news. */
  const openIssues = async (before: (page: Page) => Promise<void> = async () => {}) => {
    const { admin } = board.service;
    const { id: companyId, issuePrefix } = await admin.companies.create({ name: "Silent Works" });
    const { page, context, close } = await board.open();
    // Not through the network, whose silent connections would be used again; cookies are the same for all ports.
    await context.request.post(`${board.service.url}/api/session`, {
      headers: { authorization: `Bearer ${board.service.token}` },
    });
    await before(page);
    await page.goto(`${url}/${issuePrefix}/issues`);
    await page.getByText("No open issues").waitFor();
    await page.locator(".live-mark.live").waitFor();
    return { page, companyId, close };
  };

  it("that nothing closed is noticed by its silence, and reads that wait on it are sent again", async () => {
    let loadedAhead: Promise<Response> | undefined;
    const { page, companyId, close } = await openIssues(async (page) => {
      await page.clock.install();
      loadedAhead = page.waitForResponse(/agents-screen/);
    });
    /** Until that is shown, each second of the page's time passes at once, without a jump as after a sleep. */
    const passUntil = (shown: Locator) =>
      expect
        .poll(async () => {
          // The service answers in its own time.
          if (network.isWaitedFor()) await page.clock.runFor(1_000);
          return shown.isVisible();
        })
        .toBe(true);
    const screen = await loadedAhead!;
    // With all that it imports.
    await page.evaluate(`import(${JSON.stringify(screen.url())})`);
    network.silent();
    await board.service.admin.issues.create({ companyId, title: "Caulk the seams" });
    await board.service.admin.agents.create({ companyId, name: "Ada Lovelace", adapterType: "process" });
    await page.getByRole("navigation").getByRole("link", { name: "Agents" }).click();
    await passUntil(page.getByText("Connection lost. Reconnecting…"));
    network.heals();
    // The browser may try connections of before first.
    await passUntil(page.getByRole("link", { name: "Ada Lovelace" }));
    await passUntil(page.locator(".live-mark.live"));
    await page.getByRole("navigation").getByRole("link", { name: "Issues" }).click();
    await passUntil(page.getByRole("link", { name: "Caulk the seams" }));
    await close();
  });

  it("may follow a sleep of the machine: a clock that has jumped begins another", async () => {
    const { page, close } = await openIssues((page) => page.clock.install());
    const again = page.waitForRequest("**/api/events?**");
    await page.clock.fastForward("00:20");
    await again;
    await page.locator(".live-mark.live").waitFor();
    await close();
  });

  describe("what happens before the page hears of it", () => {
    let company: { readonly id: string; readonly issuePrefix: string };
    beforeEach(async () => {
      company = await board.service.admin.companies.create({ name: "Early Works" });
    });
    const opened = async () => {
      const { page, context, close } = await board.open();
      await context.request.post(`${board.service.url}/api/session`, {
        headers: { authorization: `Bearer ${board.service.token}` },
      });
      return { page, close };
    };
    const addIssue = (title: string) => board.service.admin.issues.create({ companyId: company.id, title });

    it("because its stream fails at first is shown", async () => {
      const { page, close } = await opened();
      let isAway = true;
      await page.route("**/api/events**", (route) => (isAway ? route.abort() : route.continue()));
      await page.goto(`${url}/${company.issuePrefix}/issues`);
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      await addIssue("Tar the planks");
      isAway = false;
      await page.getByRole("link", { name: "Tar the planks" }).waitFor();
      await page.locator(".live-mark.live").waitFor();
      await close();
    });

    it("can be asked for at once", async () => {
      const { page, close } = await opened();
      await page.clock.install();
      let isAway = true;
      await page.route("**/api/events**", (route) => (isAway ? route.abort() : route.continue()));
      await page.goto(`${url}/${company.issuePrefix}/issues`);
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      // No timer of the page runs from here on: nothing but the button connects.
      await page.clock.pauseAt(Date.now() + 3_600_000);
      // The last attempt of before is refused as well: this request comes after it.
      await page.evaluate("fetch('/api/events?after').catch(() => {})");
      isAway = false;
      await page.getByRole("button", { name: "Try now" }).click();
      // Without timers the page doesn't show yet what comes after its first reads.
      await page.locator(".live-mark.live").waitFor({ state: "attached" });
      await close();
    });

    it("because its stream opens late is shown", async () => {
      await addIssue("Scrape the hull");
      const { page, close } = await opened();
      const letIn = await holdRequests(page, "**/api/events**");
      await page.goto(`${url}/${company.issuePrefix}/issues`);
      await page.getByRole("link", { name: "Scrape the hull" }).waitFor();
      await addIssue("Paint the hull");
      letIn();
      await page.getByRole("link", { name: "Paint the hull" }).waitFor();
      await close();
    });

    it("because its first read is answered late is shown", async () => {
      const { page, close } = await opened();
      let isAnswered = () => {};
      let letIn = () => {};
      const answered = new Promise<void>((resolve) => {
        isAnswered = resolve;
      });
      const released = new Promise<void>((resolve) => {
        letIn = resolve;
      });
      let reads = 0;
      const lists = /\/api\/companies\/[^/]+\/issues\?/;
      page.on("request", (request) => {
        if (lists.test(request.url())) reads += 1;
      });
      await page.route(
        lists,
        async (route) => {
          const response = await route.fetch();
          isAnswered();
          await released;
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      const countsAnswered = page.waitForResponse("**/api/inbox/counts");
      await page.goto(`${url}/${company.issuePrefix}/issues`);
      await answered;
      await countsAnswered;
      // The events make other parts of the page read again; the list has not been answered yet.
      for (let mast = 1; mast <= 8; mast++) {
        const reread = page.waitForResponse("**/api/inbox/counts");
        await addIssue(`Rig mast ${mast}`);
        await reread;
      }
      letIn();
      await page.getByRole("link", { name: "Rig mast 8" }).waitFor();
      // One late and its repeat, and the last event may come after both; not one for each event.
      expect(reads).toBeLessThan(6);
      await close();
    });
  });
});
