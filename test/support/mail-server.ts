import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly to: readonly string[];
  /** As it was sent, with its header. */
  readonly text: string;
  readonly secure: boolean;
  readonly user: string | null;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  stop(): Promise<void>;
}

/** Makes a certificate for localhost and 127.0.0.1 that is its own authority. */
export const mailCertificate = (): { readonly key: string; readonly cert: string } => {
  const folder = mkdtempSync(join(tmpdir(), "mail-certificate-"));
  try {
    const [key, cert] = [join(folder, "key"), join(folder, "cert")];
    execFileSync(
      "openssl",
      [
        ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" "),
        ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert],
      ],
      { stdio: "ignore" },
    );
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The package smtp-server on loopback, which accepts every message unless the options differ. */
export const startMailServer = async (
  { onAccepted = () => {}, ...options }: SMTPServerOptions & { readonly onAccepted?: () => void } = {},
  port = 0,
): Promise<MailServer> => {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ["STARTTLS"] : [],
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString("utf8"),
          secure: session.secure,
          user: typeof session.user === "string" ? session.user : null,
        });
        onAccepted();
        done();
      });
    },
    ...options,
  });
  // A client that ends a connection early is not this server's failure.
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** The header and the forms of a message, without the encoding of long lines. */
export const readable = ({ text }: ReceivedMail): string =>
  text
    .replaceAll("=\r\n", "")
    .replaceAll(/\r\n[ \t]/g, " ")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("\r\n", "\n");
