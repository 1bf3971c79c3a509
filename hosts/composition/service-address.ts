/**
 * The addresses of the service: those that the operator sets, else the one on which it listens, known after the start.
 * A worker does not listen.
 */
export interface ServiceAddress {
  listensAt(url: string): void;
  /** The address without a final slash; empty while it is unknown. */
  ofService(): string;
  /** The address that agents' programs use. */
  ofAgents(): string;
}

export const serviceAddress = (publicUrl: string | null, agentUrl: string | null): ServiceAddress => {
  let listeningAt = "";
  return {
    listensAt: (url) => {
      listeningAt = url;
    },
    ofService: () => (publicUrl ?? listeningAt).replace(/(?<!\/)\/+$/, ""),
    // An agent's machine may not resolve the public name or trust its certificate.
    ofAgents: () => agentUrl ?? (listeningAt || publicUrl || ""),
  };
};
