/** Where the service is reached: where its operator says, else where it listens, which is known after the start. A worker listens nowhere. */
export interface ServiceAddress {
  noteListening(url: string): void;
  /** Without a slash at the end; empty while it is not known. */
  ofService(): string;
  /** Where agents' programs reach it. */
  ofAgents(): string;
}

export const serviceAddress = (publicUrl: string | null, agentUrl: string | null): ServiceAddress => {
  let listeningAt = "";
  return {
    noteListening: (url) => {
      listeningAt = url;
    },
    ofService: () => (publicUrl ?? listeningAt).replace(/\/+$/, ""),
    // Behind a proxy the public name or its certificate may mean nothing on the machine of an agent.
    ofAgents: () => agentUrl ?? (listeningAt || publicUrl || ""),
  };
};
