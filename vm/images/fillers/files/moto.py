"""Puts a firm's buckets, servers and accounts into the cloud.

moto keeps its state in memory, so what is stored are the requests; moto executes them when it
starts. Here they are executed once, so that a wrong one is found when the image is built.
"""

import json
import os
import pwd
import subprocess
import sys

OWN = "/usr/share/ambidex/moto"
PYTHON = "/opt/programs/python/bin/python"
FILE = "/var/lib/moto/firm.json"
LINUX = "ami-760aaa0f"
"""An image of Amazon Linux that moto knows."""
CHECK = "import json, serve; serve.fill(json.load(open(serve.FIRM)))"


def requests_of(firm):
    """The requests, in order."""
    cloud = firm["cloud"]
    for bucket in cloud["buckets"]:
        access = {"ACL": "public-read"} if bucket["readable"] else {}
        yield "s3", "CreateBucket", {"Bucket": bucket["name"], **access}
        for key, text in bucket["objects"]:
            content = {"Bucket": bucket["name"], "Key": key, "Body": text}
            yield "s3", "PutObject", {**content, "ContentType": "text/plain"}
    for login in cloud["accounts"]:
        yield "iam", "CreateUser", {"UserName": login}
        yield "iam", "CreateAccessKey", {"UserName": login}
    for server in cloud["servers"]:
        tags = {"Name": server["name"], "stage": server["stage"], "owner": server["owner"]}
        if server["until"]:
            tags["until"] = server["until"]
        tagged = [{"Key": key, "Value": value} for key, value in tags.items()]
        machine = {"ImageId": LINUX, "InstanceType": server["size"], "MinCount": 1, "MaxCount": 1}
        tagging = [{"ResourceType": "instance", "Tags": tagged}]
        yield "ec2", "RunInstances", {**machine, "TagSpecifications": tagging}


def main(firm):
    """Store the requests, and execute them once."""
    account = pwd.getpwnam("moto")
    os.makedirs(os.path.dirname(FILE), exist_ok=True)
    names = ("service", "operation", "arguments")
    with open(FILE, "w") as file:
        json.dump([dict(zip(names, one, strict=True)) for one in requests_of(firm)], file)
    os.chmod(FILE, 0o640)
    os.chown(FILE, 0, account.pw_gid)
    own = {"cwd": OWN, "user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    subprocess.run([PYTHON, "-c", CHECK], check=True, **own)


if __name__ == "__main__":
    main(json.load(sys.stdin))
