import * as Effect from "effect/Effect";
import type { SMTPTransportOptions } from "nodemailer/lib/smtp-transport";
import type { Mail, MailAttempt } from "../../ports/mail.ts";

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything else; `none` is for this machine only. */
  readonly security: "tls" | "starttls" | "none";
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** The sender, with or without a name. */
  readonly from: string;
}

export interface SmtpOptions {
  /** Trusted in addition to the authorities of Node, as PEM. */
  readonly authority?: string;
  /** Of a whole call. */
  readonly timeoutMs?: number;
}

/** Loaded with the first message: most services send none. */
const library = () => import("nodemailer");

/** Email by SMTP with nodemailer, one connection for each message. Certificates are always verified. */
export const smtpMail = (settings: SmtpSettings, options: SmtpOptions = {}): Mail => {
  const { timeoutMs = 25_000 } = options;
  const withTransport = async <A>(
    stopped: AbortSignal,
    use: (transport: Transport, signal: AbortSignal) => Promise<A>,
  ): Promise<A> => {
    const { createTransport } = await library();
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
    const transport = createTransport(transportOptions(settings, options, timeoutMs));
    try {
      return await Promise.race([use(transport, signal), aborted(signal, settings, timeoutMs)]);
    } finally {
      transport.close();
    }
  };
  return {
    domain: /@([^\s>]+)>?$/.exec(settings.from)![1]!,
    send: (message) =>
      Effect.promise(async (stopped): Promise<MailAttempt> => {
        try {
          await withTransport(stopped, (transport, signal) =>
            transport.sendMail({
              ...message,
              from: settings.from,
              // As an object it is one address, whatever its text.
              to: { name: "", address: message.to },
              signal,
            }),
          );
          return { status: "sent" };
        } catch (error) {
          return { status: isPermanent(error) ? "refused" : "failed", reason: reasonOf(error, settings) };
        }
      }),
    check: () =>
      Effect.promise(async (stopped) => {
        try {
          await withTransport(stopped, (transport) => transport.verify());
          return null;
        } catch (error) {
          return reasonOf(error, settings);
        }
      }),
  };
};

type Transport = ReturnType<Awaited<ReturnType<typeof library>>["createTransport"]>;

const transportOptions = (
  { host, port, security, credentials }: SmtpSettings,
  { authority }: SmtpOptions,
  timeoutMs: number,
): SMTPTransportOptions => ({
  host,
  port,
  secure: security === "tls",
  requireTLS: security === "starttls",
  ignoreTLS: security === "none",
  tls: {
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ...(authority === undefined ? {} : { ca: authority }),
  },
  ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
  // A message is only what its text says.
  disableFileAccess: true,
  disableUrlAccess: true,
});

const aborted = (signal: AbortSignal, { host }: SmtpSettings, timeoutMs: number): Promise<never> =>
  new Promise((_, reject) => {
    const fail = () => reject(new Error(`${host} did not finish within ${timeoutMs / 1_000} seconds.`));
    if (signal.aborted) fail();
    signal.addEventListener("abort", fail, { once: true });
  });

/** 5yz to the recipient or the message. Wrong credentials are the operator's to correct, and messages wait for that. */
const isPermanent = (error: unknown): boolean => {
  const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number };
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode !== undefined && responseCode >= 500;
};

/** A server may repeat what it was sent. */
const reasonOf = (error: unknown, { credentials }: SmtpSettings): string => {
  const text = (error as Error).message.replaceAll(/\s+/g, " ").slice(0, 500);
  return credentials === null ? text : text.replaceAll(credentials.password, "••••");
};
