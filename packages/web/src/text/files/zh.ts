import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  browse: '浏览',
  choose: ({ label }) => `选择：${label}`,
  roots: '服务可以读取的文件夹',
  up: '上一级',
  entries: '文件和文件夹',
  'entries.empty': '此文件夹为空。',
  'entries.none': '服务目前不能读取任何文件夹。请用 --root 文件夹 启动服务，或上传文件。',
  'entries.more': ({ left }, f) => `显示更多（还有 ${f.number(left)} 项）`,
  'take.folder': '选择此文件夹',
  'kind.folder': '文件夹',
  'kind.table': '表格',
  'kind.image': '图像',
  'kind.dicom': 'DICOM',
  'kind.nifti': 'NIfTI',
  'kind.other': '文件',
}
