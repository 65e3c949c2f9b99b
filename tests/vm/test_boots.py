"""Cold boots, and revert methods and installations that are not the default."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import paramiko
import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import MachineError
from ambidex.vm.building.image import Image, open_image
from ambidex.vm.machines.boot import BOUNDS, wait_until_ready
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.provision import Address, provision
from ambidex.vm.provider import LibvirtProvider
from ambidex.vm.wait import NotYetError, wait_for
from tests.support.booting import headless


@pytest.fixture(scope="module")
def image(machines: Source) -> Image:
    return open_image(machines.image.split(":")[0])


@pytest.fixture(scope="module")
def libvirt(image: Image) -> Iterator[LibvirtProvider]:
    with LibvirtProvider(spares=0) as provider:
        yield provider


def test_the_error_of_a_failed_boot_has_the_stage_and_the_console(
    libvirt: LibvirtProvider, image: Image
) -> None:
    line = f"{image.base.command_line} rdinit=/no/such/program"  # so it has no disk driver either
    broken = replace(image, base=replace(image.base, command_line=line))
    with libvirt.cold(broken) as instance, pytest.raises(MachineError) as caught:
        wait_until_ready(instance, lambda _: None, bound=90)
    assert caught.value.stage == "kernel"
    assert "Kernel panic" in str(caught.value)


def test_a_boot_that_hangs_is_ended_after_the_bound_with_a_last_frame(
    libvirt: LibvirtProvider, image: Image
) -> None:
    line = f"{image.base.command_line} systemd.unit=rescue.target"
    stuck = replace(image, base=replace(image.base, command_line=line))
    with libvirt.cold(stuck) as instance, pytest.raises(MachineError) as caught:
        wait_until_ready(instance, lambda _: None, bound=10)
    assert caught.value.stage in {"kernel", "system"}
    frame = Path(caught.value.hint.removeprefix("Last frame: "))
    assert frame.read_bytes().startswith(b"\x89PNG")
    frame.unlink()


def test_an_older_qemu_reverts_in_place(image: Image) -> None:
    image = headless(image)
    with LibvirtProvider(revert="loadvm") as provider, provider.machine(image) as machine:
        machine.boot()
        process = machine.instance.pid()
        with Guest(machine.endpoint, machine.token) as guest:
            guest.put("~/left-behind.txt", b"here")
        old = machine.token
        machine.revert("ready")
        assert machine.instance.pid() == process
        assert machine.token != old
        with Guest(machine.endpoint, machine.token) as guest:
            assert "left-behind" not in guest.run(["ls"], cwd="/home/user").stdout


def shell(port: int, key: paramiko.PKey) -> paramiko.SSHClient:
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())

    def connect() -> None:
        try:
            client.connect("127.0.0.1", port, "root", pkey=key, timeout=60, banner_timeout=60)
        except (paramiko.SSHException, OSError) as error:
            client.close()  # an open connection would go on exchanging keys beside the next one
            raise NotYetError(str(error)) from None

    wait_for(connect, bound=240, every=1, fail=MachineError)
    return client


def test_the_guest_is_installed_on_a_system_without_one_and_restarts_when_killed(
    libvirt: LibvirtProvider, image: Image, tmp_path: Path
) -> None:
    key = paramiko.RSAKey.generate(2048)
    key.write_private_key_file(str(tmp_path / "key"))
    public = f"{key.get_name()} {key.get_base64()}"
    bare = replace(headless(image), layer=None)
    with libvirt.cold(bare, ssh_key=public, token="") as instance:
        assert instance.ssh_port is not None
        client = shell(instance.ssh_port, key)
        with pytest.raises(NotYetError, match="no answer"):
            instance.door.health()
        token = provision(
            Address("root", "127.0.0.1", instance.ssh_port),
            desktop_user=image.base.user,
            key=tmp_path / "key",
            accept_new_host=True,
            say=print,
        )
        provisioned = instance.with_token(token)
        wait_until_ready(provisioned, print, bound=BOUNDS["qemu"])
        with Guest(provisioned.door.endpoint, token) as guest:
            assert len(guest.tools()) > 15
            guest.put("~/before.txt", b"kept")
        _kill_the_guest_server(client)
        wait_until_ready(provisioned, print, bound=BOUNDS["qemu"])
        with Guest(provisioned.door.endpoint, token) as guest:
            assert guest.get("~/before.txt") == b"kept"
        client.close()
        refused = httpx.get(f"{instance.door.endpoint}/harness/health")
        assert refused.status_code == 401


def _kill_the_guest_server(client: paramiko.SSHClient) -> None:
    _, out, _ = client.exec_command("systemctl kill -s KILL --kill-whom=main ambidex-guest")
    assert out.channel.recv_exit_status() == 0


def test_the_instance_knows_its_own_process(libvirt: LibvirtProvider, image: Image) -> None:
    with libvirt.cold(image) as instance:
        assert isinstance(instance, Instance)
        line = Path(f"/proc/{instance.pid()}/cmdline").read_bytes()
        assert instance.name.encode() in line
