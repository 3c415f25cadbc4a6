/** One way of deliveries: claims what is due on it, a few at a time, and goes on until nothing is. */
import type { ClaimedDelivery } from '../engine/notification/delivery.ts';

export interface DeliveryQueuePorts {
  /** At most `limit` deliveries that are due; none once nothing new is to be begun. */
  readonly claim: (limit: number) => Promise<readonly ClaimedDelivery[]>;
  /** Never rejects. */
  readonly deliver: (delivery: ClaimedDelivery) => Promise<void>;
  /** Deliveries under way at a time. */
  readonly concurrency: number;
  /** Has work done whose end somebody may wait for. */
  readonly run: (work: () => Promise<void>) => void;
}

export interface DeliveryQueue {
  /** Something may be due. Returns at once. */
  wake(): void;
  /** True when nothing is under way. */
  isIdle(): boolean;
}

export function createDeliveryQueue({ claim, deliver, concurrency, run }: DeliveryQueuePorts): DeliveryQueue {
  let underWay = 0;
  let looking = false;
  let again = false;
  const claimAll = async (): Promise<void> => {
    try {
      while (again && underWay < concurrency) {
        again = false;
        for (const delivery of await claim(concurrency - underWay)) {
          underWay += 1;
          run(async () => {
            await deliver(delivery).finally(() => {
              underWay -= 1;
            });
            look();
          });
        }
      }
    } finally {
      looking = false;
    }
  };
  const look = (): void => {
    again = true;
    if (looking) return;
    looking = true;
    run(claimAll);
  };
  return { wake: look, isIdle: () => underWay === 0 && !looking };
}
