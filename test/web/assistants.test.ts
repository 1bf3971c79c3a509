import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oidcClient, startProvider } from "../support/identity-provider.ts";
import { assistant } from "../support/mcp-client.ts";
import { passingProxy } from "../support/passing-proxy.ts";
import { aCompany, aPerson, type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

describe.skipIf(chromiumPath === null)("Assistants on the board page", () => {
  let board: Board;
  let server: Server;
  let arrived: string[] = [];
  let redirectUrl: string;
  beforeAll(async () => {
    board = await startBoard();
    server = createServer((request, response) => {
      if (request.url!.startsWith("/callback")) arrived.push(request.url!);
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Test Assistant</title>Back");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  });
  afterAll(async () => {
    await board?.stop();
    server?.close();
  });

  const answered = async (): Promise<URL> => {
    await expect.poll(() => arrived.length, { timeout: 60_000 }).toBe(1);
    const url = new URL(arrived[0]!, redirectUrl);
    arrived = [];
    return url;
  };

  it("are connected after sign-in, with what the person allows, and disconnected on the profile", async () => {
    const { companyId, prefix } = await aCompany(board, "Harbour Works");
    const { token } = await aPerson(board, companyId, "Ada Quay", "operator");
    const opened = await board.open();
    const { page } = opened;
    const program = assistant(`${board.service.url}/mcp`, {
      redirectUrl,
      consent: async (address) => {
        await page.goto(address.href);
        // Not signed in yet: the page comes back to the question.
        await page.getByRole("textbox", { name: "Board token" }).fill(token);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByText("wants to act for you, Ada Quay").waitFor();
        await page.getByText("Anyone can use the name Test Assistant.").waitFor();
        await page.getByText(`You go back to ${new URL(redirectUrl).host}.`).waitFor();
        await opened.expectAccessible();
        await page.getByRole("checkbox", { name: "Decide for you" }).uncheck();
        await page.getByRole("button", { name: "Allow" }).click();
        return answered();
      },
    });
    const client = await program.connect();
    expect(program.session.tokens!.scope).toBe("read work");
    await client.callTool({ name: "create_subtask", arguments: { title: "Measure the tides" } });

    await page.goto(opened.at(`/${prefix}/activity`));
    await page.getByText("with Test Assistant").first().waitFor();
    await page.goto(opened.at("/profile"));
    await page.getByText("Test Assistant").first().waitFor();
    await opened.expectAccessible();
    await page.getByRole("button", { name: "Disconnect Test Assistant" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("Assistant disconnected").first().waitFor();
    await expect(client.listTools()).rejects.toThrow();
    await client.close();
  });

  it("get a refusal when the person denies, and nothing for a wrong link", async () => {
    const opened = await board.signedIn("/profile");
    const { page } = opened;
    const program = assistant(`${board.service.url}/mcp`, {
      redirectUrl,
      consent: async (address) => {
        await page.goto(address.href);
        await page.getByRole("button", { name: "Deny" }).click();
        return answered();
      },
    });
    await expect(program.connect()).rejects.toThrow();
    expect(program.session.tokens).toBeUndefined();

    const wrong = new URL(program.session.page!);
    wrong.searchParams.set("redirect_uri", "https://evil.example/callback");
    await page.goto(wrong.href);
    await page.getByText("The assistant asks to send you to an address that it hasn't registered.").waitFor();
    expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);

    const plain = new URL(program.session.page!);
    plain.searchParams.set("code_challenge_method", "plain");
    await page.goto(plain.href);
    await page.getByRole("button", { name: "Go back to 127.0.0.1" }).click();
    expect((await answered()).searchParams.get("error")).toBe("invalid_request");
  });

  it("ask a person who has signed in at a provider in between", async () => {
    const proxy = await passingProxy();
    const provider = await startProvider(() => [`${proxy.url}/sign-in/oidc/default`]);
    const there = await startBoard({
      env: {
        SERVICE_PUBLIC_URL: proxy.url,
        SERVICE_OIDC_ISSUER: provider.issuer,
        SERVICE_OIDC_CLIENT_ID: oidcClient.id,
        SERVICE_OIDC_CLIENT_SECRET: oidcClient.secret,
      },
    });
    proxy.passTo(there.service.url);
    try {
      const { companyId } = await aCompany(there, "Harbour Works");
      const email = "ada@example.com";
      await there.service.admin.members.invite({ companyId, name: "Ada Quay", role: "viewer", email });
      provider.account = { sub: "ada", email, email_verified: true };
      const { page } = await there.open();
      const program = assistant(`${proxy.url}/mcp`, {
        redirectUrl,
        consent: async (address) => {
          await page.goto(address.href);
          await page.getByRole("button", { name: /^Continue with / }).click();
          await page.getByText("wants to act for you, Ada Quay").waitFor();
          expect(page.url()).toBe(address.href);
          await page.getByRole("button", { name: "Allow" }).click();
          return answered();
        },
      });
      await (await program.connect()).close();
      expect(program.session.tokens!.scope).toBe("read work decide");
    } finally {
      await there.stop();
      await provider.stop();
      proxy.close();
    }
  });

  it("ask on a page that no other page can frame", async () => {
    const answer = await fetch(`${board.service.url}/oauth/authorize?client_id=a`, {
      headers: { accept: "text/html" },
    });
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  });
});
