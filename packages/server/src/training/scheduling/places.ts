import { AppError } from '../../errors.js'

/** Places on accelerators for work that is no training job: evaluations. They are given in turn with the jobs. */
export interface Places {
  /**
   * Wait for a place that fits `device`. Work on the CPU, or on a device that does not exist, needs none and has its hold at once.
   * @throws AppError when `signal` aborts before, or the service closes.
   */
  hold(device: string, signal: AbortSignal): Promise<Hold>
  /** As `hold`, without the wait: null when no place is free now, or a job waits for it already. */
  tryHold(device: string): Promise<Hold | null>
}

/** A place that is taken until it is released. */
export interface Hold {
  /** The device to compute on. */
  readonly device: string
  /** Has an effect once. */
  release(): void
}

/** Work that takes no place. */
export function holdNothing(device: string): Hold {
  return { device, release: () => undefined }
}

/**
 * Where a cluster trains: whoever holds computes on the machine of the service, which need not have the devices of the cluster, waits for
 * nobody, and does not ask whether the cluster can be reached.
 */
export const PLACES_BESIDE_CLUSTER: Places = {
  async hold(device, signal) {
    if (signal.aborted) throw cancelled()
    return holdNothing(ownDevice(device))
  },
  tryHold: async (device) => holdNothing(ownDevice(device)),
}

function ownDevice(device: string): string {
  return device.startsWith('cpu') ? device : 'auto'
}

/** Whoever waits for a hold. */
export interface HoldRequest {
  given(hold: Hold): void
  refused(error: AppError): void
}

export function cancelled(): AppError {
  return new AppError('TRAINER_FAILED', 'the work was cancelled while it waited for a device', 'Ask again.')
}

export function closing(): AppError {
  return new AppError('WORKER_TIMEOUT', 'the service is closing', 'Ask again when it runs.')
}
