/** A preference of the browser. */
const key = "boardroom.push";

/** The person who gets notices on this browser by push, and its subscription. */
export interface PushChoice {
  readonly userId: string;
  readonly subscriptionId: string;
}

export const readPushChoice = (): PushChoice | null => {
  const [userId, subscriptionId] = localStorage.getItem(key)?.split(" ") ?? [];
  return userId === undefined || subscriptionId === undefined ? null : { userId, subscriptionId };
};

export const savePushChoice = (choice: PushChoice | null): void => {
  if (choice === null) localStorage.removeItem(key);
  else localStorage.setItem(key, `${choice.userId} ${choice.subscriptionId}`);
};
