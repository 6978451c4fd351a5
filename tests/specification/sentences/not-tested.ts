import type { PromiseId } from './index.js'

/** Sentences without a test, with the reasons. */
export const NOT_TESTED: Partial<Record<PromiseId, string>> = {
  '0/scope': 'it describes the document, not the service',
  '0/single': 'it describes the document, not the service',
  '1/addresses': 'it explains the notation',
  '1/stage': 'it describes the design, not the service',
  '2.1/fields': 'it introduces the table whose rows follow',
  '2.12/format': 'it explains the notation',
  '4/placeholders': 'it explains the notation',
  '4/planned': 'it introduces the table whose rows follow',
  '5/future': 'it refers to future versions',
  '5/https': 'a proxy in front of the service is responsible for it: the service itself uses HTTP',
  '5/encryption': 'the disks of the service are responsible for it',
  '5/mechanism': 'it describes a part that the interface does not have',
  '8/time-outs': 'it does not define them; the one of a request, 60 s, would make a test last a minute',
}
