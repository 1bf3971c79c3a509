/** Whether the service ends for another one, which continues its runs, and not for good. */
export interface Replacement {
  begin(): void;
  isUnderWay(): boolean;
}

export const replacement = (): Replacement => {
  let isUnderWay = false;
  return {
    begin: () => {
      isUnderWay = true;
    },
    isUnderWay: () => isUnderWay,
  };
};
