import { existsSync, readFileSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { checkServerIdentity, connect as connectTls, rootCertificates, type SecureVersion } from "node:tls";
import { type DatabaseAddress, type DatabaseServer, type DatabaseTls, isSocket } from "./database-url.ts";

/** No connection to a server. The code is of the kind by which failures of connections are known. */
export class ConnectFailed extends Error {
  readonly code = "CONNECT_FAILED";
}

/** Opens a connection that is ready for the client's first message. */
export type Dial = () => Promise<Socket>;

/** The kind of a session, as its server reports it. */
export interface SessionKind {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** Logs in over a connection and closes it. */
export type LogIn = (dial: Dial) => Promise<SessionKind>;

interface Attempt {
  readonly server: DatabaseServer;
  /** "offered": without TLS where the server has none. */
  readonly encryption: "none" | "offered" | "required";
}

/**
 * Connects as libpq does: to the first server that answers, with as much TLS as `sslmode` says. Where the choice depends on
 * the login, it logs in for a trial first: a server may refuse a login with TLS or without it, or be of another kind than
 * `target_session_attrs` asks for. The client (postgres 3.4.9) has its own reading of these, with other results.
 */
export const dialer = (address: DatabaseAddress, logIn: LogIn): Dial => {
  /** The attempts by which a login succeeded. */
  const proven = new Map<DatabaseServer, Attempt>();

  const connectTo = async (
    server: DatabaseServer,
    isSuitable: (kind: SessionKind) => boolean,
  ): Promise<Socket> => {
    const attempts = attemptsAt(server, address.tls.mode);
    const known = proven.get(server);
    proven.delete(server);
    let failure: unknown;
    for (const attempt of known === undefined ? attempts : [known]) {
      try {
        const needsLogin =
          address.sessions !== "any" ||
          address.servers.length > 1 ||
          (attempts.length > 1 && known === undefined);
        if (needsLogin && !isSuitable(await logIn(() => open(attempt, address))))
          throw new ConnectFailed(
            `${nameOf(server)} is not ${address.sessions}, which target_session_attrs demands.`,
          );
        const socket = await open(attempt, address);
        proven.set(server, attempt);
        return socket;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return async () => {
    let failure: unknown;
    for (const isSuitable of suitable[address.sessions]) {
      for (const server of address.isBalanced ? shuffled(address.servers) : address.servers) {
        try {
          return await connectTo(server, isSuitable);
        } catch (error) {
          // The next server would refuse the password too. One that is starting up is passed over.
          if (isRefusedLogin(error)) throw error;
          failure = error;
        }
      }
    }
    throw failure;
  };
};

const yes = () => true;

/** Each round asks all servers. */
const suitable: Record<DatabaseAddress["sessions"], readonly ((kind: SessionKind) => boolean)[]> = {
  any: [yes],
  "read-write": [({ isReadOnly }) => !isReadOnly],
  "read-only": [({ isReadOnly }) => isReadOnly],
  primary: [({ isStandby }) => !isStandby],
  standby: [({ isStandby }) => isStandby],
  "prefer-standby": [({ isStandby }) => isStandby, yes],
};

const cannotConnectNow = "57P03";

const isRefusedLogin = (error: unknown): boolean => {
  const { severity, code } = (error ?? {}) as { readonly severity?: string; readonly code?: string };
  return severity === "FATAL" && code !== cannotConnectNow;
};

const attemptsAt = (server: DatabaseServer, mode: DatabaseTls["mode"]): readonly Attempt[] => {
  const encryptions: readonly Attempt["encryption"][] =
    isSocket(server) || mode === "disable"
      ? ["none"]
      : mode === "allow"
        ? ["none", "required"]
        : mode === "prefer"
          ? ["offered", "none"]
          : ["required"];
  return encryptions.map((encryption) => ({ server, encryption }));
};

const shuffled = <T>(all: readonly T[]): readonly T[] =>
  all
    .map((each) => ({ each, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ each }) => each);

const nameOf = ({ host, port }: DatabaseServer): string =>
  host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Opens a connection to one server within the limit of time. */
const open = ({ server, encryption }: Attempt, address: DatabaseAddress): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      isSocket(server) ? { path: nameOf(server) } : { host: server.host, port: server.port },
    );
    let timer: NodeJS.Timeout | undefined;
    const fail = (reason: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectFailed(`${nameOf(server)}: ${reason}`));
    };
    const onError = (error: NodeJS.ErrnoException) => fail(error.message || (error.code ?? "no connection"));
    const onClose = () => fail("the server closed the connection");
    const done = (ready: Socket) => {
      clearTimeout(timer);
      for (const each of [socket, ready]) each.off("error", onError).off("close", onClose);
      // The connection below TLS reports its errors by the one above.
      if (ready !== socket) socket.on("error", () => {});
      resolve(ready);
    };
    if (address.connectTimeoutSec > 0)
      timer = setTimeout(
        () => fail(`no answer within ${address.connectTimeoutSec} s (connect_timeout)`),
        address.connectTimeoutSec * 1000,
      );
    // Else the end of each COPY waits for the acknowledgement of its rows, 40 ms.
    socket.setNoDelay(true);
    if (address.keepAliveSec > 0) socket.setKeepAlive(true, address.keepAliveSec * 1000);
    socket.on("error", onError).on("close", onClose);
    const encrypt = () => {
      try {
        const encrypted = connectTls({ ...tlsOptions(server, address.tls), socket });
        encrypted.on("error", onError).on("close", onClose);
        encrypted.once("secureConnect", () => done(encrypted));
      } catch (error) {
        // A file is missing, or has something else in it.
        onError(error as Error);
      }
    };
    socket.once("connect", () => {
      if (encryption === "none") return done(socket);
      if (address.tls.isDirect) return encrypt();
      socket.write(sslRequest);
      socket.once("data", (answer: Buffer) => {
        if (answer.length !== 1) return fail("the server sent unencrypted data before TLS");
        if (answer[0] === "S".charCodeAt(0)) return encrypt();
        if (encryption === "offered") return done(socket);
        fail("the server does not support TLS, which sslmode demands");
      });
    });
  });

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Reads the files each time, because certificates are renewed while the service runs. */
const tlsOptions = (server: DatabaseServer, tls: DatabaseTls) => {
  const name = server.name ?? server.host;
  return {
    servername: isIP(name) === 0 && tls.sendsName ? name : "",
    rejectUnauthorized: tls.rootCertificates !== null,
    checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      tls.mode === "verify-full" ? checkServerIdentity(name, certificate) : undefined,
    ca:
      tls.rootCertificates === null
        ? undefined
        : tls.rootCertificates === "system"
          ? trustedByMachine()
          : readFileSync(tls.rootCertificates),
    cert: tls.certificate === null ? undefined : readFileSync(tls.certificate),
    key: tls.key === null ? undefined : readFileSync(tls.key),
    passphrase: tls.keyPassword ?? undefined,
    crl: tls.revoked === null ? undefined : readFileSync(tls.revoked),
    minVersion: (tls.minVersion ?? undefined) as SecureVersion | undefined,
    maxVersion: (tls.maxVersion ?? undefined) as SecureVersion | undefined,
    ALPNProtocols: ["postgresql"],
  };
};

/** Debian's, Red Hat's, Alpine's. */
const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];

/** The certificates of the machine; where it has no such file, those of Node. */
const trustedByMachine = () => {
  const bundle = [process.env.SSL_CERT_FILE ?? "", ...bundles].find(
    (path) => path !== "" && existsSync(path),
  );
  return bundle === undefined ? [...rootCertificates] : readFileSync(bundle);
};

/** A connection that fails once the client uses it: the client does not recover from one that cannot be made. */
export const failedSocket = (error: unknown): Socket => {
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, written) => written() });
  setImmediate(() => socket.destroy(error as Error));
  return socket as unknown as Socket;
};
