/** How much waits for this person, over all companies. The inbox's own endpoint counts it, once it is there. */
export const useInboxCount = (): number => 0;
