/** One delivery queue: claims due deliveries, a limited number at a time, until none is due. */
import type { ClaimedDelivery } from '../engine/notification/delivery.ts';

export interface DeliveryQueuePorts {
  /** Claims up to `limit` due deliveries; returns none during shutdown. */
  readonly claim: (limit: number) => Promise<readonly ClaimedDelivery[]>;
  /** Never rejects. */
  readonly deliver: (delivery: ClaimedDelivery) => Promise<void>;
  /** Maximum deliveries in progress at a time. */
  readonly concurrency: number;
  /** Runs work that the shutdown waits for. */
  readonly run: (work: () => Promise<void>) => void;
}

export interface DeliveryQueue {
  /** Claims again, because a delivery may be due. Returns at once. */
  wake(): void;
  /** True when no claim and no delivery is in progress. */
  isIdle(): boolean;
}

export function createDeliveryQueue({ claim, deliver, concurrency, run }: DeliveryQueuePorts): DeliveryQueue {
  let inProgress = 0;
  let claiming = false;
  let claimAgain = false;
  const claimAll = async (): Promise<void> => {
    try {
      while (claimAgain && inProgress < concurrency) {
        claimAgain = false;
        for (const delivery of await claim(concurrency - inProgress)) {
          inProgress += 1;
          run(async () => {
            await deliver(delivery).finally(() => {
              inProgress -= 1;
            });
            wake();
          });
        }
      }
    } finally {
      claiming = false;
    }
  };
  const wake = (): void => {
    claimAgain = true;
    if (claiming) return;
    claiming = true;
    run(claimAll);
  };
  return { wake, isIdle: () => inProgress === 0 && !claiming };
}
