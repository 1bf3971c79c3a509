import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom open`. */
export const addOpen = (program: Command, terminal: Terminal): void => {
  program
    .command("open")
    .summary("Open the board page, signed in")
    .description(
      "Open the board page in a browser, signed in as the token's user.\nThe link works once, within two minutes. If no browser can be opened, the command prints the link.",
    )
    .helpGroup("The service:")
    .option("--print", "print the link instead of opening it")
    .option("--phone", "show the link as a QR code for your phone")
    .addHelpText("after", "\nExamples:\n  boardroom open\n  boardroom open --print\n  boardroom open --phone")
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions & { print?: boolean; phone?: boolean }>();
      const { openSession } = await import("../connection/session.ts");
      const { client, callOptions } = await openSession(options, terminal);
      const link = await client.session.createLink({}, callOptions);
      if (options.json) return terminal.out(`${JSON.stringify(link)}\n`);
      if (options.phone === true) return terminal.out(await qrCodeOf(link.url));
      const { openInBrowser } = await import("./open-in-browser.ts");
      if (options.print !== true && (await openInBrowser(link.url, terminal.env))) {
        terminal.err("The board page opens in your browser.\n");
        return;
      }
      terminal.out(`${link.url}\n`);
    });
};

/** Phones reach no address of this machine alone, and their browsers have passkeys and push at https alone. */
const qrCodeOf = async (url: string): Promise<string> => {
  if (!url.startsWith("https:")) {
    const { UsageError } = await import("../failure.ts");
    throw new UsageError(
      "Your phone needs an https address. Set one up with Tailscale, Caddy, nginx or Cloudflare Tunnel, put it in SERVICE_PUBLIC_URL and restart the service.",
    );
  }
  const { encodeQR } = await import("qr");
  return `${encodeQR(url, "ascii")}\nScan this with your phone's camera, or open ${url}\nIt works once, within two minutes.\n`;
};
