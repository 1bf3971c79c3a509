/** The service's tools for models (Model Context Protocol over HTTP), for a program's configuration. */
export interface ServiceTools {
  readonly name: string;
  readonly url: string;
  /** The variable whose value is the bearer token: it stays out of files and arguments. */
  readonly tokenVariable: string;
}

/** Returns the tools for the programs of a run; null where its environment names no service. */
export const serviceTools = ({
  SERVICE_API_URL: address,
}: Readonly<Record<string, string>>): ServiceTools | null =>
  address === undefined || address === ""
    ? null
    : {
        name: "boardroom",
        url: `${address.replace(/(?<!\/)\/+$/, "")}/mcp`,
        tokenVariable: "SERVICE_API_KEY",
      };
