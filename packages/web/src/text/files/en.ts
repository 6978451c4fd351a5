import type { Format, Messages } from '../define'

/** The picker for files on the server. */
export const en = {
  browse: 'Browse',
  choose: ({ label }: { label: string }) => `Choose: ${label}`,
  roots: 'Folders that the service may read',
  up: 'Up',
  entries: 'Files and folders',
  'entries.empty': 'This folder is empty.',
  'entries.none': 'The service cannot read any folder yet. Start it with --root FOLDER, or upload files.',
  'entries.more': ({ left }: { left: number }, f: Format) => `Show more (${f.number(left)} remaining)`,
  'take.folder': 'Choose this folder',
  'kind.folder': 'Folder',
  'kind.table': 'Table',
  'kind.image': 'Image',
  'kind.dicom': 'DICOM',
  'kind.nifti': 'NIfTI',
  'kind.other': 'File',
} satisfies Messages
