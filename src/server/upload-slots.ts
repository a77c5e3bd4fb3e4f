/** H19: how many uploads, or exports, are under way; each holds a part of its file in memory. */
export interface UploadSlots {
  /** False when all are taken. Whoever gets one gives it back. */
  take(): boolean;
  giveBack(): void;
}

export function createUploadSlots(count: number): UploadSlots {
  let free = count;
  return {
    take: () => {
      if (free === 0) return false;
      free--;
      return true;
    },
    giveBack: () => {
      free++;
    },
  };
}
