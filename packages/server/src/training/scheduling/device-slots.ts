import { phrase } from '@medloom/contracts'
import { AppError } from '../../errors.js'

/** Accelerator slots for work that is not a training job: evaluations. They share one queue with the jobs. */
export interface DeviceSlots {
  /**
   * Wait for a slot that fits `device`. Work on the CPU, or on a device that does not exist, needs no slot and starts at once.
   * @throws AppError when `signal` aborts before, or the service closes.
   */
  acquire(device: string, signal: AbortSignal): Promise<Slot>
  /** Like `acquire`, without waiting: null when no slot is free now, or a job is already waiting for it. */
  tryAcquire(device: string): Promise<Slot | null>
}

/** A slot that is occupied until it is released. */
export interface Slot {
  /** The device for the computation. */
  readonly device: string
  /** Has an effect only once. */
  release(): void
}

/** For work that needs no slot. */
export function unlimitedSlot(device: string): Slot {
  return { device, release: () => undefined }
}

/**
 * For trainings on a cluster: other work runs on the machine of the service, which need not have the devices of the cluster. It waits for
 * nobody and does not depend on a connection to the cluster.
 */
export const SLOTS_OUTSIDE_CLUSTER: DeviceSlots = {
  async acquire(device, signal) {
    if (signal.aborted) throw cancelled()
    return unlimitedSlot(ownDevice(device))
  },
  tryAcquire: async (device) => unlimitedSlot(ownDevice(device)),
}

function ownDevice(device: string): string {
  return device.startsWith('cpu') ? device : 'auto'
}

/** A request that waits for a slot. */
export interface SlotRequest {
  granted(slot: Slot): void
  refused(error: AppError): void
}

export function cancelled(): AppError {
  return new AppError('TRAINER_FAILED', phrase('canceled_in_device_queue'), phrase('try_again'))
}

export function closing(): AppError {
  return new AppError('WORKER_TIMEOUT', phrase('service_shutting_down'), phrase('when_service_runs'))
}
