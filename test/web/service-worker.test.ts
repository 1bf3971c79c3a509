import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../hosts/http/listener.ts";
import { openPages, type Pages } from "../../hosts/http/pages.ts";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { openPushBrowser } from "./push-browser.ts";

const built = fileURLToPath(new URL("../../dist/web/", import.meta.url));

let browser: Browser;
beforeAll(async () => {
  if (chromiumPath !== null) browser = await openPushBrowser();
});
afterAll(() => browser?.close());

const cachedPaths = (page: Page): Promise<string[]> =>
  page.evaluate(`(async () => {
    const found = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
    return found;
  })()`);

describe.skipIf(chromiumPath === null)("The board page as an app", () => {
  let board: Board;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    board = await startBoard();
    await board.service.admin.companies.create({ name: "Harbour Works" });
    context = await browser.newContext({ baseURL: board.service.url, locale: "en-GB" });
    context.setDefaultTimeout(60_000);
    await context.request.post("/api/session", {
      headers: { authorization: `Bearer ${board.service.token}` },
    });
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    await page.goto("/inbox");
    await page.evaluate("navigator.serviceWorker.ready");
  });
  afterAll(async () => {
    await context?.close();
    await board?.stop();
  });

  it("has a manifest without faults, and icons of the sizes that it names", async () => {
    const devtools = await context.newCDPSession(page);
    const { errors, data } = await devtools.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data!);
    expect(manifest).toMatchObject({ display: "standalone", scope: "./", start_url: "./" });
    const icons: { src: string; sizes: string; purpose?: string }[] = manifest.icons;
    expect(icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
    for (const { src, sizes } of [...icons, { src: "apple-touch-icon.png", sizes: "180x180" }]) {
      const answer = await context.request.get(`/${src}`);
      expect(answer.headers()["content-type"]).toBe("image/png");
      const bytes = await answer.body();
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
    }
  });

  it("registers its worker under the policy, which allows no other script", async () => {
    const made = (name: string) =>
      page.evaluate(`(() => {
        try {
          trustedTypes.createPolicy("${name}", { createScriptURL: (text) => text });
          return "made";
        } catch (error) {
          return error.name;
        }
      })()`);
    expect(complaints).toEqual([]);
    expect(await made("boardroom-worker")).toBe("TypeError");
    expect(await made("other")).toBe("TypeError");
    expect(
      await page.evaluate(`navigator.serviceWorker.register("/icon.svg").catch((error) => error.name)`),
    ).toBe("TypeError");
    complaints.length = 0;
  });

  it("stores the files of its shell, and nothing that the service answers", async () => {
    for (const path of ["/inbox", "/HAR/issues", "/HAR/agents", "/profile", "/instance"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.evaluate("fetch('/api/session')");
    }
    const paths = await cachedPaths(page);
    expect(paths.length).toBeGreaterThan(3);
    const isOfShell = (path: string) =>
      /^\/(offline\.html|icon\.svg|assets\/[\w-]+-[\w-]{8,12}\.(js|css))$/.test(path);
    expect(paths.filter((path) => !isOfShell(path))).toEqual([]);
    const texts = await page.evaluate(`(async () => {
      const texts = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) texts.push(await (await cache.match(request)).text());
      }
      return texts.join("\\n");
    })()`);
    expect(texts).not.toContain("Harbour Works");
  });

  it("is fetched anew each time: worker and offline page are never stored by proxies", async () => {
    for (const path of ["/service-worker.js", "/offline.html", "/manifest.webmanifest", "/"]) {
      const answer = await context.request.get(path);
      expect(answer.status()).toBe(200);
      expect(answer.headers()["cache-control"]).toBe("no-cache");
    }
  });
});

/** A service that serves the page alone, can be replaced by another build, and can be away. */
class PageService {
  pages: Pages;
  readonly #port: number;
  #server: Server | null = null;

  constructor(pages: Pages, port = 0) {
    this.pages = pages;
    this.#port = port;
  }

  async up(): Promise<number> {
    const server = createServer((request, response) => {
      const path = new URL(request.url!, "http://x").pathname;
      const asked = { method: request.method, path, headers: request.headers } as unknown as HttpRequest;
      const answer = this.pages(asked);
      if (answer === null) response.writeHead(200, { "content-type": "application/json" }).end("null");
      else response.writeHead(answer.status, answer.headers as Record<string, string>).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

describe.skipIf(chromiumPath === null)("The worker of the page", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "page-"));
    await cp(built, folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The build of the next version, by what its files say. */
  const nextBuild = async (): Promise<Pages> => {
    const change = async (name: string, from: string | RegExp, to: string) => {
      const text = await readFile(join(folder, name), "utf8");
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      await writeFile(join(folder, name), changed);
    };
    await change("index.html", "<body>", '<body data-build="next">');
    await change("offline.html", "<body>", '<body data-build="next">');
    await change("service-worker.js", /"[\w-]{12}"/, '"next-version"');
    return openPages(null, folder);
  };

  it("shows the offline page without the service, and after an upgrade never the former shell", async () => {
    const first = new PageService(await openPages(null, built));
    const port = await first.up();
    const context = await browser.newContext({ baseURL: `http://127.0.0.1:${port}` });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto("/HAR/issues");
    await page.evaluate(`(async () => {
      const policy = trustedTypes.createPolicy("boardroom-worker", { createScriptURL: (text) => text });
      await navigator.serviceWorker.register(policy.createScriptURL("/service-worker.js"));
      await navigator.serviceWorker.ready;
    })()`);
    await first.down();

    await page.goto("/HAR/issues/HAR-1");
    await page.getByRole("heading", { name: "The service isn't responding" }).waitFor();
    await context.setOffline(true);
    await page.getByRole("heading", { name: "You're offline" }).waitFor();
    expect(page.url()).toContain("/HAR/issues/HAR-1");

    await context.setOffline(false);
    const second = new PageService(await nextBuild(), port);
    await second.up();
    // The offline page notices by itself.
    const buildOf = () => page.evaluate("document.body.dataset.build ?? null");
    await expect.poll(() => buildOf().catch(() => null)).toBe("next");
    await page.locator("#board").waitFor({ state: "attached" });
    await expect.poll(() => page.evaluate("caches.keys()")).toEqual(["boardroom-shell-next-version"]);
    await second.down();
    await page.goto("/inbox");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await buildOf()).toBe("next");
    await context.close();
  });
});
