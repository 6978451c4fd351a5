import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  title: '结果来源',
  training: '训练',
  workflow: '工作流',
  dataset: '数据集',
  data: ({ part }) => `数据（${part}）`,
  unread: '尚未读取',
  copy: '复制摘要',
  configuration: '配置',
  open: '打开',
  seed: '随机种子',
  software: '软件版本',
  'software.unknown': '训练评估其病例后显示',
  evaluation: '评估',
  measured: '测量时间',
  checkpoint: '检查点',
  registered: '注册时间',
  run: '运行',
  revision: '修订',
  more: ({ count }, f) => `另有 ${f.number(count)} 个训练，其来源见各自的页面。`,
  none: '这里没有训练。',
}
