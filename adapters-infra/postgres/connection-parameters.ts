import { DatabaseUrlInvalid, type GivenParameters } from "./connection-string.ts";

interface Parameter {
  /** The environment variable that sets it where the connection string does not. */
  readonly variable?: string;
  /** Completes "DATABASE_URL …"; null: the value works. */
  readonly refuse: (value: string, name: string) => string | null;
}

const any: Parameter = { refuse: () => null };

const oneOf = (...values: readonly string[]): Parameter => ({
  refuse: (value, name) =>
    values.includes(value) ? null : `has ${name} that is not one of ${values.join(", ")}`,
});

const wholeNumber: Parameter = {
  refuse: (value, name) =>
    /^\s*-?\d{1,9}\s*$/.test(value) ? null : `has ${name} that is not a whole number`,
};

/** The values ask for what happens anyway; the service can do nothing else. */
const only = (values: readonly string[], reason: string): Parameter => ({
  refuse: (value, name) =>
    values.includes(value)
      ? null
      : `has ${name}${values.length === 0 ? "" : " with an unsupported value"}: ${reason}`,
});

const unsupported = (reason: string): Parameter => only([], reason);

const from = (variable: string, parameter: Parameter): Parameter => ({ ...parameter, variable });

const noGss = "the service does not support GSSAPI. Remove the parameter";
const tlsVersions = oneOf("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3");
const keepAliveOfSystem =
  "the system sets it for all connections (net.ipv4.tcp_keepalive_* and tcp_retries2). Remove the parameter";

export const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

export const sessionKinds = [
  "any",
  "read-write",
  "read-only",
  "primary",
  "standby",
  "prefer-standby",
] as const;

/** Every parameter of libpq (PostgreSQL 17): it works, or it is refused by name. */
export const connectionParameters: Readonly<Record<string, Parameter>> = {
  host: from("PGHOST", any),
  hostaddr: from("PGHOSTADDR", any),
  port: from("PGPORT", any),
  dbname: from("PGDATABASE", any),
  user: from("PGUSER", any),
  password: from("PGPASSWORD", any),
  passfile: from("PGPASSFILE", any),
  require_auth: from(
    "PGREQUIREAUTH",
    unsupported("the service answers each method that the server asks for. Restrict them in pg_hba.conf"),
  ),
  channel_binding: from(
    "PGCHANNELBINDING",
    only(
      ["disable", "prefer"],
      "the service does not support channel binding. Remove the parameter; sslmode=verify-full with sslrootcert=system makes sure of the server too",
    ),
  ),
  connect_timeout: from("PGCONNECT_TIMEOUT", wholeNumber),
  client_encoding: from(
    "PGCLIENTENCODING",
    only(
      ["UTF8", "utf8", "UTF-8", "utf-8", "UNICODE", "auto"],
      "the service speaks UTF8. Remove the parameter",
    ),
  ),
  options: from("PGOPTIONS", any),
  application_name: from("PGAPPNAME", any),
  fallback_application_name: any,
  keepalives: wholeNumber,
  keepalives_idle: wholeNumber,
  keepalives_interval: unsupported(keepAliveOfSystem),
  keepalives_count: unsupported(keepAliveOfSystem),
  tcp_user_timeout: only(["0"], keepAliveOfSystem),
  replication: only(["false", "off", "no", "0"], "the service does not replicate. Remove the parameter"),
  gssencmode: from("PGGSSENCMODE", only(["disable", "prefer"], noGss)),
  sslmode: from("PGSSLMODE", oneOf(...sslModes)),
  sslnegotiation: from("PGSSLNEGOTIATION", oneOf("postgres", "direct")),
  sslcompression: from(
    "PGSSLCOMPRESSION",
    only(["0"], "TLS connections are not compressed. Remove the parameter"),
  ),
  sslcert: from("PGSSLCERT", any),
  sslkey: from("PGSSLKEY", any),
  sslpassword: any,
  sslcertmode: from(
    "PGSSLCERTMODE",
    only(
      ["disable", "allow"],
      "whether the server has asked for the certificate is not known. Use allow, and let pg_hba.conf demand it",
    ),
  ),
  sslrootcert: from("PGSSLROOTCERT", any),
  sslcrl: from("PGSSLCRL", any),
  sslcrldir: from("PGSSLCRLDIR", unsupported("put the revoked certificates into one file and set sslcrl")),
  sslsni: from("PGSSLSNI", oneOf("0", "1")),
  requirepeer: from(
    "PGREQUIREPEER",
    unsupported("the user of the server is not known. Protect the folder of the socket instead"),
  ),
  ssl_min_protocol_version: from("PGSSLMINPROTOCOLVERSION", tlsVersions),
  ssl_max_protocol_version: from("PGSSLMAXPROTOCOLVERSION", tlsVersions),
  krbsrvname: from("PGKRBSRVNAME", unsupported(noGss)),
  gsslib: from("PGGSSLIB", unsupported(noGss)),
  gssdelegation: from("PGGSSDELEGATION", only(["0"], noGss)),
  service: from(
    "PGSERVICE",
    unsupported("the service does not read pg_service.conf. Write the parameters into the address"),
  ),
  target_session_attrs: from("PGTARGETSESSIONATTRS", oneOf(...sessionKinds)),
  load_balance_hosts: from("PGLOADBALANCEHOSTS", oneOf("disable", "random")),
};

/** Parameters of other clients and of providers, which their examples have. */
const foreign = new Set(
  "ApplicationName,binary_parameters,connection_limit,currentSchema,encoding,loginTimeout,pgbouncer,pool_max_conns,pool_mode,pool_size,pool_timeout,prepareThreshold,prepared_statements,reconnect,schema,search_path,socketTimeout,socket_timeout,ssl,sslaccept,sslfactory,sslidentity,statement_cache_size,statement_timeout,supa,timezone,uselibpqcompat,workaround".split(
    ",",
  ),
);

/** Throws for the first parameter that does not work; `nameOf`: how it is called to people. */
export const checkParameters = (given: GivenParameters, nameOf = (name: string) => name): void => {
  for (const [name, value] of given) {
    const parameter = Object.hasOwn(connectionParameters, name) ? connectionParameters[name] : undefined;
    if (parameter === undefined)
      throw new DatabaseUrlInvalid(
        // Any other name may be a part of a password that is not written correctly.
        foreign.has(name)
          ? `has the parameter ${name}, which only other clients know. Remove it; options=-c%20name%3Dvalue sets a setting of the server`
          : "has a parameter that libpq does not know",
      );
    const refusal = parameter.refuse(value, nameOf(name));
    if (refusal !== null) throw new DatabaseUrlInvalid(refusal);
  }
};

export const checkEnvironment = (given: GivenParameters): void =>
  checkParameters(
    given,
    (name) => `${name} (from ${connectionParameters[name]!.variable} in the environment)`,
  );

/** The variables that libpq reads too, by the parameter that each sets; an empty one counts as not set. */
export const parametersOfEnvironment = (env: Readonly<Record<string, string | undefined>>): GivenParameters =>
  new Map(
    Object.entries(connectionParameters).flatMap(([name, { variable }]) => {
      const value = variable === undefined ? undefined : env[variable];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
