// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "counting_api.hpp"

#include <cerrno>

namespace verbs_test {

namespace {

int note(const char* call) {
  counting_api::calls().push_back(call);
  return counting_api::next_errno();
}

/// As functions that return -1 and set errno.
int note_minus_one(const char* call) {
  const int e = note(call);
  if (e == 0) return 0;
  errno = e;
  return -1;
}

template <class T>
T* make(const char* call) {
  static T object{};
  if (note_minus_one(call) != 0) return nullptr;
  return &object;
}

}  // namespace

counting_api::counting_api() {
  calls().clear();
  next_errno() = 0;
  acknowledged_events() = 0;
  waiting_events() = 0;
  table.open_device = [](ibv_device*) { return make<ibv_context>("open_device"); };
  table.close_device = [](ibv_context*) { return note("close_device"); };
  table.alloc_pd = [](ibv_context*) { return make<ibv_pd>("alloc_pd"); };
  table.dealloc_pd = [](ibv_pd*) { return note("dealloc_pd"); };
  table.reg_mr = [](ibv_pd*, void*, std::size_t, int) { return make<ibv_mr>("reg_mr"); };
  table.dereg_mr = [](ibv_mr*) { return note("dereg_mr"); };
  table.create_cq = [](ibv_context*, int, void*, ibv_comp_channel* channel, int) {
    ibv_cq* const queue = make<ibv_cq>("create_cq");
    if (queue != nullptr) queue->channel = channel;
    return queue;
  };
  table.destroy_cq = [](ibv_cq*) { return note("destroy_cq"); };
  table.get_cq_event = [](ibv_comp_channel*, ibv_cq** queue, void**) {
    if (waiting_events() == 0) {
      errno = EAGAIN;
      return -1;
    }
    --waiting_events();
    *queue = make<ibv_cq>("get_cq_event");
    return 0;
  };
  table.ack_cq_events = [](ibv_cq*, unsigned count) {
    note("ack_cq_events");
    acknowledged_events() += count;
  };
  table.create_qp = [](ibv_pd*, ibv_qp_init_attr*) { return make<ibv_qp>("create_qp"); };
  table.modify_qp = [](ibv_qp*, ibv_qp_attr*, int) { return note("modify_qp"); };
  table.destroy_qp = [](ibv_qp*) { return note("destroy_qp"); };
  table.cm_create_event_channel = [] { return make<rdma_event_channel>("cm_create_event_channel"); };
  table.cm_destroy_event_channel = [](rdma_event_channel*) { note("cm_destroy_event_channel"); };
  table.cm_get_event = [](rdma_event_channel*, rdma_cm_event** event) {
    *event = next_cm_event();
    return note_minus_one("cm_get_event");
  };
  table.cm_ack_event = [](rdma_cm_event* event) {
    event->event = RDMA_CM_EVENT_TIMEWAIT_EXIT;  // whoever still looks at it sees something else
    return note("cm_ack_event");
  };
  table.cm_create_id = [](rdma_event_channel*, rdma_cm_id** id, void* context, rdma_port_space space) {
    *id = make<rdma_cm_id>("cm_create_id");
    if (*id == nullptr) return -1;
    **id = rdma_cm_id{};
    (*id)->context = context;
    (*id)->ps = space;
    return 0;
  };
  table.cm_destroy_id = [](rdma_cm_id*) { return note_minus_one("cm_destroy_id"); };
  table.cm_create_qp = [](rdma_cm_id* id, ibv_pd*, ibv_qp_init_attr*) {
    id->qp = make<ibv_qp>("cm_create_qp");
    return id->qp != nullptr ? 0 : -1;
  };
  table.cm_destroy_qp = [](rdma_cm_id* id) {
    id->qp = nullptr;
    note("cm_destroy_qp");
  };
  table.cm_bind_addr = [](rdma_cm_id*, sockaddr*) { return note_minus_one("cm_bind_addr"); };
}

counting_api::~counting_api() {
  next_errno() = 0;
}

}  // namespace verbs_test
