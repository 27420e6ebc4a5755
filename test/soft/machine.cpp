// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "machine.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace soft_test {

namespace {

using clock = std::chrono::steady_clock;

const asio_rdma::verbs::api& table = asio_rdma::verbs::software_device();

template <class T>
T* must(T* object) {
  if (!object) throw std::system_error(errno, std::generic_category(), "soft0");
  return object;
}

/// The objects of a machine, destroyed in their order.
class local_machine final : public machine {
public:
  explicit local_machine(void* memory = nullptr) {
    if (!memory) own_memory_.resize(memory_size);
    memory_ = memory ? static_cast<char*>(memory) : own_memory_.data();
    int count = 0;
    ibv_device** const list = must(table.get_device_list(&count));
    context_ = must(table.open_device(list[0]));
    table.free_device_list(list);
    for (const int fd : {context_->async_fd}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    domain_ = must(table.alloc_pd(context_));
    foreign_domain_ = must(table.alloc_pd(context_));
    whole_ = must(table.reg_mr(domain_, memory_, memory ? 4096 : memory_size, all_access | IBV_ACCESS_MW_BIND));
  }
  ~local_machine() override {
    if (qp_) table.destroy_qp(qp_);
    for (ibv_ah* ah : handles_) table.destroy_ah(ah);
    if (srq_) table.destroy_srq(srq_);
    if (cq_) table.destroy_cq(cq_);
    if (channel_) table.destroy_comp_channel(channel_);
    for (ibv_mw* w : windows_) table.dealloc_mw(w);
    for (ibv_mr* r : regions_) {
      if (r) table.dereg_mr(r);
    }
    table.dereg_mr(whole_);
    table.dealloc_pd(foreign_domain_);
    table.dealloc_pd(domain_);
    table.close_device(context_);
  }

  reply call(const command& c) override {
    reply r{};
    switch (c.what) {
      case command::make:
        r.value = make_queues(c.with);
        break;
      case command::connect:
        r.value = connect_to(static_cast<std::uint32_t>(c.number[0]), c.over);
        break;
      case command::state: {
        ibv_qp_attr a{};
        a.qp_state = static_cast<ibv_qp_state>(c.number[0]);
        r.value = table.modify_qp(qp_, &a, IBV_QP_STATE);
        break;
      }
      case command::current_state: {
        ibv_qp_attr a{};
        ibv_qp_init_attr init{};
        table.query_qp(qp_, &a, IBV_QP_STATE, &init);
        r.value = a.qp_state;
        break;
      }
      case command::add_key: {
        ibv_mr* const added = table.reg_mr(c.number[3] != 0 ? foreign_domain_ : domain_, memory_ + c.number[1],
                                           c.number[2], static_cast<int>(c.number[0]));
        r.value = added ? 0 : errno;
        if (added) {
          r.of = {reinterpret_cast<std::uintptr_t>(added->addr), added->lkey, added->rkey,
                  static_cast<int>(regions_.size())};
          regions_.push_back(added);
        }
        break;
      }
      case command::drop_key:
        r.value = table.dereg_mr(std::exchange(regions_.at(c.number[0]), nullptr));
        break;
      case command::receive:
        r.value = post_receive(c);
        break;
      case command::send:
        r.value = post_send(c.order);
        break;
      case command::poll: {
        const clock::time_point end = clock::now() + std::chrono::milliseconds(c.number[0]);
        while (ibv_poll_cq(cq_, 1, &r.completion) == 0) {
          if (clock::now() >= end) {
            r.completion.vendor_err = ~0u;
            break;
          }
          std::this_thread::yield();
        }
        break;
      }
      case command::arm:
        r.value = ibv_req_notify_cq(cq_, static_cast<int>(c.number[0]));
        break;
      case command::cq_event:
        r.value = take_cq_event(static_cast<int>(c.number[0]));
        break;
      case command::async_event:
        r.value = take_async_event(static_cast<int>(c.number[0]));
        break;
      case command::write_text:
        std::memcpy(memory_ + c.number[0], c.text, c.number[1]);
        break;
      case command::read_text:
        std::memcpy(r.text, memory_ + c.number[0], c.number[1]);
        break;
      case command::limit: {
        ibv_srq_attr a{};
        a.srq_limit = static_cast<std::uint32_t>(c.number[0]);
        r.value = table.modify_srq(srq_, &a, IBV_SRQ_LIMIT);
        break;
      }
      case command::join:
        r.value = table.attach_mcast(qp_, &c.gid, 0);
        break;
      case command::leave:
        r.value = table.detach_mcast(qp_, &c.gid, 0);
        break;
      case command::add_window:
        windows_.push_back(must(table.alloc_mw(domain_, IBV_MW_TYPE_2)));
        r.of.rkey = windows_.back()->rkey;
        r.of.number = static_cast<int>(windows_.size() - 1);
        break;
      case command::send_list:
        r.value = post_list(c.order, c.number[0], c.number[1]);
        break;
      case command::resize:
        r.value = table.resize_cq(cq_, static_cast<int>(c.number[0]));
        break;
    }
    return r;
  }

private:
  std::int64_t make_queues(const setup& s) {
    channel_ = must(table.create_comp_channel(context_));
    ::fcntl(channel_->fd, F_SETFL, ::fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
    cq_ = must(table.create_cq(context_, s.completions, nullptr, channel_, 0));
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = cq_;
    a.qp_type = s.type;
    a.sq_sig_all = s.signals_all ? 1 : 0;
    a.cap = {s.depth, s.depth, 4, 4, 64};
    if (s.is_shared) {
      ibv_srq_init_attr shared{};
      shared.attr.max_wr = s.depth;
      shared.attr.max_sge = 4;
      a.srq = srq_ = must(table.create_srq(domain_, &shared));
    }
    qp_ = must(table.create_qp(domain_, &a));
    if (s.type == IBV_QPT_UD) {
      ibv_qp_attr m{};
      m.qp_state = IBV_QPS_INIT;
      m.port_num = 1;
      m.qkey = qkey;
      if (table.modify_qp(qp_, &m, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) != 0) return 0;
      m.qp_state = IBV_QPS_RTR;
      if (table.modify_qp(qp_, &m, IBV_QP_STATE) != 0) return 0;
      m.qp_state = IBV_QPS_RTS;
      if (table.modify_qp(qp_, &m, IBV_QP_STATE | IBV_QP_SQ_PSN) != 0) return 0;
    }
    return qp_->qp_num;
  }

  int connect_to(std::uint32_t peer, const terms& l) {
    ibv_qp_attr a{};
    a.qp_state = IBV_QPS_INIT;
    a.port_num = 1;
    a.qp_access_flags = l.access;
    if (const int e = table.modify_qp(qp_, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) {
      return e;
    }
    a.qp_state = IBV_QPS_RTR;
    a.path_mtu = IBV_MTU_4096;
    a.dest_qp_num = peer;
    a.max_dest_rd_atomic = l.reads;
    a.min_rnr_timer = l.rnr_timer;
    a.ah_attr.is_global = 1;
    a.ah_attr.port_num = 1;
    a.ah_attr.grh.dgid = first_gid();
    if (const int e = table.modify_qp(qp_, &a,
                                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)) {
      return e;
    }
    a.qp_state = IBV_QPS_RTS;
    a.timeout = l.timeout;
    a.retry_cnt = l.retries;
    a.rnr_retry = l.rnr_retries;
    a.max_rd_atomic = l.reads;
    return table.modify_qp(qp_, &a,
                           IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                               IBV_QP_MAX_QP_RD_ATOMIC);
  }

  int post_receive(const command& c) {
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(memory_) + c.number[1],
                  static_cast<std::uint32_t>(c.number[2]),
                  c.number[3] != 0 ? static_cast<std::uint32_t>(c.number[3]) : whole_->lkey};
    ibv_recv_wr wr{};
    wr.wr_id = c.number[0];
    wr.sg_list = &piece;
    wr.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    return srq_ ? ibv_post_srq_recv(srq_, &wr, &bad) : ibv_post_recv(qp_, &wr, &bad);
  }

  int post_send(const request& r) {
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(memory_) + r.offset, r.length,
                  r.lkey != 0 ? r.lkey : whole_->lkey};
    ibv_send_wr wr{};
    wr.wr_id = r.id;
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.opcode = r.opcode;
    wr.send_flags = r.flags;
    wr.imm_data = r.value;
    switch (r.opcode) {
      case IBV_WR_SEND_WITH_INV:
      case IBV_WR_LOCAL_INV:
        wr.invalidate_rkey = r.value;
        break;
      case IBV_WR_ATOMIC_CMP_AND_SWP:
      case IBV_WR_ATOMIC_FETCH_AND_ADD:
        wr.wr.atomic = {r.address, r.compare_add, r.swap, r.rkey};
        break;
      case IBV_WR_BIND_MW: {
        wr.num_sge = 0;
        wr.bind_mw.mw = windows_.at(r.value);
        wr.bind_mw.rkey = r.rkey;
        ibv_mr* region = whole_;
        for (ibv_mr* candidate : regions_) {
          if (candidate && candidate->lkey == r.lkey) region = candidate;
        }
        wr.bind_mw.bind_info = {region, reinterpret_cast<std::uintptr_t>(memory_) + r.offset, r.length,
                                r.bind_access};
        break;
      }
      default:
        wr.wr.rdma = {r.address, r.rkey};
    }
    if (qp_->qp_type == IBV_QPT_UD) {
      ibv_ah_attr a{};
      a.is_global = 1;
      a.port_num = 1;
      a.grh.dgid = r.to;
      a.grh.hop_limit = 64;
      handles_.push_back(must(table.create_ah(domain_, &a)));
      wr.wr.ud = {handles_.back(), r.to_qp, qkey};
    }
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp_, &wr, &bad);
  }

  std::int64_t post_list(const request& r, std::uint64_t count, std::uint64_t bad) {
    std::vector<ibv_sge> pieces(5, {reinterpret_cast<std::uintptr_t>(memory_), r.length, whole_->lkey});
    std::vector<ibv_send_wr> list(count);
    for (std::size_t i = 0; i < count; ++i) {
      list[i].wr_id = i;
      list[i].next = i + 1 < count ? &list[i + 1] : nullptr;
      list[i].sg_list = pieces.data();
      list[i].num_sge = i == bad ? 5 : 1;
      list[i].opcode = r.opcode;
      list[i].send_flags = r.flags;
    }
    ibv_send_wr* first_bad = nullptr;
    if (ibv_post_send(qp_, list.data(), &first_bad) == 0) return static_cast<std::int64_t>(count);
    return first_bad ? first_bad - list.data() : -1;
  }

  bool take_cq_event(int time) {
    pollfd p{channel_->fd, POLLIN, 0};
    ibv_cq* cq = nullptr;
    void* cq_context = nullptr;
    if (::poll(&p, 1, time) != 1 || table.get_cq_event(channel_, &cq, &cq_context) != 0) return false;
    table.ack_cq_events(cq, 1);
    return cq == cq_;
  }

  int take_async_event(int time) {
    pollfd p{context_->async_fd, POLLIN, 0};
    ibv_async_event e{};
    if (::poll(&p, 1, time) != 1 || table.get_async_event(context_, &e) != 0) return -1;
    table.ack_async_event(&e);
    return e.event_type;
  }

  std::vector<char> own_memory_;
  char* memory_ = nullptr;
  ibv_context* context_ = nullptr;
  ibv_pd* domain_ = nullptr;
  ibv_pd* foreign_domain_ = nullptr;
  ibv_mr* whole_ = nullptr;
  ibv_comp_channel* channel_ = nullptr;
  ibv_cq* cq_ = nullptr;
  ibv_srq* srq_ = nullptr;
  ibv_qp* qp_ = nullptr;
  std::vector<ibv_mr*> regions_;
  std::vector<ibv_mw*> windows_;
  std::vector<ibv_ah*> handles_;
};

command order(command::kind what, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) {
  command result{};
  result.what = what;
  result.number[0] = a;
  result.number[1] = b;
  result.number[2] = c;
  result.number[3] = d;
  return result;
}

std::uint64_t count(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

const register_scenario obey("machine", [](const line& parent, const std::vector<std::string>&) {
  local_machine m;
  for (command c{}; parent.receive_if_any(c);) parent.send(m.call(c));
  return 0;
});

}  // namespace

std::uint32_t machine::make(const setup& s) {
  command c = order(command::make);
  c.with = s;
  return static_cast<std::uint32_t>(call(c).value);
}

int machine::connect(std::uint32_t peer, const terms& l) {
  command c = order(command::connect, peer);
  c.over = l;
  return static_cast<int>(call(c).value);
}

int machine::go_to(ibv_qp_state state) {
  return static_cast<int>(call(order(command::state, state)).value);
}

ibv_qp_state machine::state() {
  return static_cast<ibv_qp_state>(call(order(command::current_state)).value);
}

key machine::add_key(unsigned access, std::uint64_t offset, std::uint64_t length, bool is_foreign) {
  const reply r = call(order(command::add_key, access, offset, length, is_foreign ? 1 : 0));
  if (r.value != 0) throw std::system_error(static_cast<int>(r.value), std::generic_category(), "reg_mr");
  return r.of;
}

int machine::drop_key(const key& k) {
  return static_cast<int>(call(order(command::drop_key, static_cast<std::uint64_t>(k.number))).value);
}

key machine::add_window() {
  return call(order(command::add_window)).of;
}

int machine::receive(std::uint64_t id, std::uint64_t offset, std::uint32_t length, std::uint32_t lkey) {
  return static_cast<int>(call(order(command::receive, id, offset, length, lkey)).value);
}

int machine::send(const request& r) {
  command c = order(command::send);
  c.order = r;
  return static_cast<int>(call(c).value);
}

int machine::send_list(const request& r, unsigned count, unsigned bad) {
  command c = order(command::send_list, count, bad);
  c.order = r;
  return static_cast<int>(call(c).value);
}

ibv_wc machine::poll(std::chrono::milliseconds time) {
  return call(order(command::poll, count(time))).completion;
}

int machine::arm(bool solicited_only) {
  return static_cast<int>(call(order(command::arm, solicited_only ? 1 : 0)).value);
}

bool machine::has_event(std::chrono::milliseconds time) {
  return call(order(command::cq_event, count(time))).value != 0;
}

int machine::async_event(std::chrono::milliseconds time) {
  return static_cast<int>(call(order(command::async_event, count(time))).value);
}

void machine::write(std::uint64_t offset, const std::string& text) {
  command c = order(command::write_text, offset, text.size());
  text.copy(c.text, sizeof c.text);
  (void)call(c);
}

std::string machine::read(std::uint64_t offset, std::size_t size) {
  return std::string(call(order(command::read_text, offset, size)).text, size);
}

void machine::write_word(std::uint64_t offset, std::uint64_t value) {
  write(offset, std::string(reinterpret_cast<const char*>(&value), sizeof value));
}

std::uint64_t machine::read_word(std::uint64_t offset) {
  std::uint64_t result = 0;
  std::memcpy(&result, read(offset, sizeof result).data(), sizeof result);
  return result;
}

int machine::set_limit(unsigned limit) {
  return static_cast<int>(call(order(command::limit, limit)).value);
}

int machine::join(const ibv_gid& group) {
  command c = order(command::join);
  c.gid = group;
  return static_cast<int>(call(c).value);
}

int machine::leave(const ibv_gid& group) {
  command c = order(command::leave);
  c.gid = group;
  return static_cast<int>(call(c).value);
}

int machine::resize(int completions) {
  return static_cast<int>(call(order(command::resize, static_cast<std::uint64_t>(completions))).value);
}

std::unique_ptr<machine> make_local(void* memory) {
  return std::make_unique<local_machine>(memory);
}

two_machines::two_machines(const char* way, const terms& l, const setup& here, const setup& there) : copy(way) {
  near_number = near.make(here);
  far_number = far.make(there);
  if (here.type != IBV_QPT_RC) return;
  if (near.connect(far_number, l) != 0 || far.connect(near_number, l) != 0) throw std::runtime_error("not connected");
}

}  // namespace soft_test
