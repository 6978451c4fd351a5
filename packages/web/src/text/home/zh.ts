import type { Translation } from '../define'
import type { en } from './en'

export const zh: Translation<typeof en> = {
  title: '首页',
  lead: '同时读取医学图像和表格的模型。',
  'start.training': '新建训练',
  'running.title': '进行中',
  'running.empty': '没有正在运行的任务。',
  'ended.title': '最近完成',
  'ended.empty': '还没有完成的训练。',
  'failed.title': '失败及原因',
  'failed.empty': '没有失败的任务。',
  'machine.title': '本机',
  'machine.gpu': 'GPU',
  'machine.gpu.none': '无；训练在处理器上运行。',
  'machine.processor': '处理器',
  'machine.cores': ({ count, model }, f) => `${f.number(count)} × ${model}`,
  'machine.memory': '内存',
  'machine.disk': '磁盘',
  'machine.free': ({ free, total }) => `${total} 中有 ${free} 可用`,
  epoch: ({ epoch, total }) => `第 ${epoch}/${total} 轮`,
  left: ({ time }) => `约剩 ${time}`,
  queue: ({ position }) => `队列第 ${position} 位`,
}
