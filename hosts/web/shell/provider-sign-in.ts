import { client } from "../live/client.ts";

/** For the tab that began a sign-in: it survives the way to the provider and back, and no other tab has it. */
const flowKey = "boardroom.sign-in";

export const beginAtProvider = async (provider: string): Promise<void> => {
  const { url, flow } = await client.session.beginByProvider({ provider });
  sessionStorage.setItem(flowKey, flow);
  location.assign(url);
};

/** Exchanges a provider's answer for a session cookie. Without the flow of this tab the service refuses it. */
export const finishAtProvider = async (provider: string, response: string): Promise<void> => {
  const flow = sessionStorage.getItem(flowKey) ?? "none";
  sessionStorage.removeItem(flowKey);
  await client.session.createByProvider({ provider, flow, response });
};
